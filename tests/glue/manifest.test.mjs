// What the extension asks for, and who it is: changes here are decisions, never by-products.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const file = name => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const manifest = JSON.parse(file('extension/manifest.json'));

test('the key makes the extension the same one everywhere', () => {
  const digest = createHash('sha256').update(Buffer.from(manifest.key, 'base64')).digest('hex').slice(0, 32);
  const id = digest.replace(/./g, digit => 'abcdefghijklmnop'[parseInt(digit, 16)]);
  assert.equal(id, 'ipahcbgnjnkbfjidpfeicjankoibjfad');
});

test('installing grants the page that is clicked and this machine, and nothing else', () => {
  assert.deepEqual(manifest.permissions, ['sidePanel', 'storage', 'scripting', 'activeTab', 'offscreen', 'declarativeNetRequestWithHostAccess', 'contextMenus']);
  assert.deepEqual(manifest.host_permissions, ['http://127.0.0.1/*']);
  assert.equal(manifest.content_scripts, undefined);
  assert.equal(manifest.web_accessible_resources, undefined);
  assert.equal(manifest.externally_connectable, undefined);
});

test('extension pages run our own scripts and wasm, and load nothing from elsewhere', () => {
  const policy = Object.fromEntries(manifest.content_security_policy.extension_pages.split(';').map(directive => {
    const [name, ...sources] = directive.trim().split(/\s+/);
    return [name, sources.join(' ')];
  }));
  assert.equal(policy['default-src'], "'none'");
  assert.equal(policy['script-src'], "'self' 'wasm-unsafe-eval'");
  assert.equal(policy['style-src'], "'self'");
  assert.equal(policy['img-src'], "'self'");
  for (const name of ['object-src', 'base-uri', 'form-action', 'frame-ancestors']) assert.equal(policy[name], "'none'");
});

test('the shortcut is one that others leave free, and the settings say how to change it', () => {
  const { suggested_key } = manifest.commands._execute_action;
  // Ctrl+Shift with a letter is where password managers and Chrome itself are.
  assert.match(suggested_key.default, /^Alt\+Shift\+[A-Z]$/);
  for (const page of ['options/options.html', 'welcome/welcome.html']) {
    assert.ok(file(`extension/${page}`).includes(`>${suggested_key.default}<`), page);
  }
  assert.match(file('extension/options/options.html'), /chrome:\/\/extensions\/shortcuts/);
});

test('the version is the one of the crate', () => {
  const [, version] = file('Cargo.toml').match(/\[workspace\.package\]\s+version = "(.*?)"/);
  assert.equal(manifest.version, version);
});
