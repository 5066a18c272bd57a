// The server behind every page that is read from a file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../../xtask/js/site.mjs';

for (const [name, type] of [
  ['page.html', /^text\/html/], ['page.htm', /^text\/html/], ['page', /^text\/html/], ['PAGE.HTML', /^text\/html/],
  ['page.xhtml', /^application\/xhtml\+xml/], ['page.txt', /^text\/plain/], ['page.mjs', /^text\/javascript/],
]) {
  test(`${name} is shown, not downloaded`, async t => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'sidelight-site-'));
    t.after(() => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, name), 'text');
    const site = await serve({ '/': path.join(folder, name) }, { scripts: false });
    t.after(site.close);
    const response = await fetch(site.url);
    assert.match(response.headers.get('content-type'), type);
    assert.equal(await response.text(), 'text');
    assert.equal((await fetch(`${site.url}/../secret`)).status, 404);
  });
}
