// Whether a page shows signs that the reader is logged in: then they are asked before a model opens its links.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./harness.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.stop());

const page = (body, head = "") => `<!doctype html><html lang="en"><title>A page</title>${head}
  <main><article><h1>A page</h1><p>${"Words about the harbour. ".repeat(20)}</p></article></main>${body}`;

async function signedIn(html, headers) {
  const page = await browser.open(html, headers);
  const snapshot = await page.run(() => globalThis.send({ type: "extract" }));
  // The next page is of the same host.
  await page.tab.evaluate(() => document.cookie.split("; ").forEach((cookie) => {
    document.cookie = `${cookie.split("=")[0]}=; max-age=0`;
  }));
  await page.tab.close();
  return snapshot.signedIn;
}

for (const [what, body] of Object.entries({
  "a link to log out": '<a href="/user/logout?token=1">Bye</a>',
  "a link in other words": '<a href="/session/end">Sign out</a>',
  "a form": '<form action="/Sign-Out" method="post"><input type="submit" value="Bye"></form>',
  "a button in German": "<button>  Abmelden </button>",
  "a menu item in Japanese": '<div role="menuitem">ログアウト</div>',
  "an item that only its label names": '<button aria-label="Cerrar sesión"></button>',
  "a button in a shadow tree": '<x-menu id="menu"></x-menu><script>document.getElementById("menu").attachShadow({ mode: "open" }).innerHTML = "<button>Log out</button>"</script>',
})) {
  test(`${what} is a sign of a login`, async () => assert.equal(await signedIn(page(body)), true));
}

for (const cookie of ["logged_in=yes", "auth_token=abc", "user_id=17", "wp-settings-1=x", "my.jwt=ey"]) {
  test(`so is the cookie ${cookie}`, async () => {
    assert.equal(await signedIn(page(""), { "set-cookie": cookie }), true);
  });
}

for (const [what, body, headers] of [
  ["a page for anybody", '<nav><a href="/login">Log in</a> <a href="/about">About</a></nav>'],
  ["words about logging out", "<p>To log out, close the window. Then sign out of everything else.</p>"],
  ["a long button", `<button>${"Log out of all your devices and then some more ".repeat(3)}</button>`],
  ["cookies of visitors", "", { "set-cookie": ["_ga=GA1.2.3", "csrftoken=abc", "logged_in=no", "consent=all", "author=jo"] }],
]) {
  test(`${what} is none`, async () => assert.equal(await signedIn(page(body), headers), false));
}
