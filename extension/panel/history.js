// The database of the history. It knows no rule: what is kept, found and thrown out is decided in src/panel/history.rs.
//
// Under the name of each reading: `entries` holds what the list says, `texts` what a search looks through, `pages` all
// of it. A connection lives as long as one call, so that nothing here is in the way of who deletes the database.
const NAME = 'history';
const STORES = ['entries', 'texts', 'pages'];

function open() {
  return new Promise((done, failed) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const name of STORES) request.result.createObjectStore(name);
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      done(request.result);
    };
    request.onerror = () => failed(request.error);
  });
}

/** Does `work` with the stores in one transaction; resolves, once that is through, with what its request brought. */
async function within(mode, work) {
  const database = await open();
  try {
    return await new Promise((done, failed) => {
      const transaction = database.transaction(STORES, mode);
      const request = work(...STORES.map((name) => transaction.objectStore(name)));
      transaction.oncomplete = () => done(request?.result);
      transaction.onabort = () => failed(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** Reads; a database that is not there is not made for that, and holds `nothing`. */
async function read(work, nothing) {
  const isThere = (await indexedDB.databases()).some(({ name }) => name === NAME);
  return isThere ? within('readonly', work) : nothing;
}

/** All entries, in the order of their names. */
export const entries = () => read((entries) => entries.getAll(), []);

/** All texts, in the order of their names. */
export const texts = () => read((_, texts) => texts.getAll(), []);

/** All of one reading; `undefined` where there is none of that name. */
export const page = (id) => read((_entries, _texts, pages) => pages.get(id));

/** Keeps a reading, and lets go of others. */
export const put = (id, entry, text, page, gone) => within('readwrite', (...stores) => {
  for (const store of stores) for (const id of gone) store.delete(id);
  [entry, text, page].forEach((value, at) => stores[at].put(value, id));
});

export const remove = (id) => within('readwrite', (...stores) => stores.forEach((store) => store.delete(id)));

export const clear = () => within('readwrite', (...stores) => stores.forEach((store) => store.clear()));
