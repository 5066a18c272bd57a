// Pages over real HTTP, on this machine only.
import http from 'node:http';
import { createReadStream, existsSync, statSync } from 'node:fs';
import path from 'node:path';

const types = {
  '.xhtml': 'application/xhtml+xml; charset=utf-8', '.xml': 'application/xml; charset=utf-8', '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/plain; charset=utf-8', '.json': 'application/json; charset=utf-8', '.pdf': 'application/pdf', '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.png': 'image/png',
};

/// What is named as a page is one, whatever its name ends in; other types would be downloaded instead of shown.
const UNKNOWN = 'text/html; charset=utf-8';

/// Serves folders and files: `mounts` maps a path to a folder, or to a file for an exact path. With `scripts: false`
/// pages stay as their source says.
export async function serve(mounts, { scripts = true, port = 0 } = {}) {
  const places = Object.entries(mounts).sort(([a], [b]) => b.length - a.length);
  const server = http.createServer((request, response) => {
    const file = locate(places, decodePath(request.url));
    if (!file) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
      return;
    }
    const headers = { 'content-type': types[path.extname(file).toLowerCase()] ?? UNKNOWN, 'cache-control': 'no-store' };
    if (!scripts) headers['content-security-policy'] = "script-src 'none'";
    response.writeHead(200, headers);
    createReadStream(file).on('error', () => response.destroy()).pipe(response);
  });
  await new Promise((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done));
  // By name: the extension may read 127.0.0.1 without being asked, and a page must need the toolbar click.
  return { url: `http://localhost:${server.address().port}`, close: () => close(server) };
}

/// Serves the project's own pages as they are published: with the core and the texts of the interface beside them.
export const serveOwn = (root, options) => serve({
  '/': path.join(root, 'www'), '/pkg': path.join(root, 'extension/pkg'), '/_locales': path.join(root, 'extension/_locales'),
}, options);

/// Ends a server with the connections it holds.
export function close(server) {
  const closed = new Promise(done => server.close(done));
  server.closeAllConnections();
  return closed;
}

function decodePath(url) {
  try {
    return decodeURIComponent(url.split(/[?#]/)[0]);
  } catch {
    return '';
  }
}

function locate(places, wanted) {
  for (const [mount, place] of places) {
    if (wanted === mount && isFile(place)) return place;
    if (!wanted.startsWith(mount.endsWith('/') ? mount : `${mount}/`)) continue;
    const file = path.join(place, path.normalize(`/${wanted.slice(mount.length)}`));
    const found = [file, path.join(file, 'index.html')].find(isFile);
    if (found) return found;
  }
  return null;
}

function isFile(file) {
  return existsSync(file) && statSync(file).isFile();
}
