import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUvLock } from '../../../../src/inventory/readers/python/uv-lock.ts';
import { parseToml } from '../../../../src/inventory/toml.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';

// As uv writes it, shortened; the last three sources are those of uv's documentation.
const LOCK = `version = 1
revision = 5
requires-python = ">=3.11, <4"

[[package]]
name = "asgiref"
version = "3.13.0"
source = { registry = "https://pypi.org/simple" }
wheels = [
    { url = "https://files.pythonhosted.org/packages/2e/a.whl", hash = "sha256:f9", upload-time = "2026-10-23T08:13:13.394Z" },
]

[[package]]
name = "flask"
version = "2.3.1"
source = { registry = "https://pypi.org/simple" }
dependencies = [
    { name = "asgiref" },
]

[[package]]
name = "requests"
version = "2.31.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "shop"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
    { name = "flask", extra = ["async"] },
]

[package.dev-dependencies]
dev = [
    { name = "requests" },
]

[[package]]
name = "helper"
source = { editable = "helper" }

[[package]]
name = "forked"
version = "1.0.0"
source = { git = "https://github.com/shop/forked?rev=main#0123abc" }

[[package]]
name = "wheel"
version = "1.0.0"
source = { url = "https://example.com/wheel-1.0.0-py3-none-any.whl" }

[[package]]
name = "private"
version = "1.0.0"
source = { registry = "https://pypi.example/simple" }
`;

test('packages are read with what the project declares', () => {
  const inventory = readUvLock(parseToml(LOCK));
  assert.equal(inventory.updater, 'uv');
  assert.equal(inventory.format, 'uv.lock, version 1');
  assert.deepEqual(packagesOf(inventory), [
    'pypi asgiref@3.13.0',
    'pypi flask@2.3.1*',
    'pypi requests@2.31.0*',
  ]);
  assert.deepEqual(notesOf(inventory), [
    'a package of the workspace itself: 2',
    'a git repository: 1',
    'a file of a web site: 1',
    'a package of the registry pypi.example: 1',
  ]);
});
