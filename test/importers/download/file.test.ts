import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { HttpClient } from '../../../src/importers/download/client.ts';
import { type Downloaded, type DownloadOptions, downloadFile } from '../../../src/importers/download/file.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';
import { type Answer, startWebServer, type WebServer } from '../../support/web-server.ts';

interface Scene {
  readonly server: WebServer;
  readonly folder: string;
  readonly target: string;
  download(options?: Partial<DownloadOptions>): Promise<Downloaded>;
}

async function sceneOf(t: FolderOwner, answer: Answer): Promise<Scene> {
  const server = await startWebServer(t, answer);
  const folder = temporaryFolder(t);
  const target = join(folder, 'export.json');
  const client = new HttpClient({ environment: {}, wait: async () => {}, retries: { attempts: 3 } });
  t.after(() => {
    void client.close();
  });
  return {
    server,
    folder,
    target,
    download: (options = {}) => downloadFile(client, server.url, target, { maxBytes: 1e6, ...options }),
  };
}

describe('a downloaded file', () => {
  it('is there whole, with its version', async (t) => {
    const content = Buffer.alloc(300_000, 'content ');
    const scene = await sceneOf(t, (_, response) => {
      response.writeHead(200, { etag: '"a"', 'last-modified': 'Sat, 10 Jan 2026 12:00:00 GMT' }).end(content);
    });
    let counted = 0;
    const downloaded = await scene.download({ onBytes: (bytes) => (counted += bytes) });
    assert.deepEqual(downloaded, {
      kind: 'fetched',
      version: { etag: '"a"', lastModified: 'Sat, 10 Jan 2026 12:00:00 GMT' },
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    assert.equal(counted, content.length);
    assert.deepEqual(readFileSync(scene.target), content);
    assert.deepEqual(readdirSync(scene.folder), ['export.json']);
  });

  it('stays as it is if the server has no other', async (t) => {
    const scene = await sceneOf(t, ({ headers }, response) => {
      const isKnown =
        headers['if-none-match'] === '"a"' &&
        headers['if-modified-since'] === 'Sat, 10 Jan 2026 12:00:00 GMT';
      response.writeHead(isKnown ? 304 : 200).end();
    });
    writeFileSync(scene.target, 'old');
    const known = { etag: '"a"', lastModified: 'Sat, 10 Jan 2026 12:00:00 GMT' };
    assert.deepEqual(await scene.download({ known }), { kind: 'unchanged' });
    assert.equal(readFileSync(scene.target, 'utf8'), 'old');
  });

  it('is fetched from its beginning after the connection broke', async (t) => {
    const scene = await sceneOf(t, (_, response, number) => {
      if (number > 1) {
        response.end('new');
        return;
      }
      response.writeHead(200, { 'content-length': '1000' });
      response.write('a long beginning', () => response.destroy());
    });
    let counted = 0;
    const downloaded = await scene.download({ onBytes: (bytes) => (counted += bytes) });
    assert.ok(downloaded.kind === 'fetched' && downloaded.bytes === 3);
    assert.equal(counted, 3);
    assert.equal(readFileSync(scene.target, 'utf8'), 'new');
  });

  it('is sent without the headers of its first server by another', async (t) => {
    const store = await startWebServer(t, (_, response) => void response.end('stored'));
    const scene = await sceneOf(
      t,
      (_, response) => void response.writeHead(302, { location: store.url.href }).end(),
    );
    await scene.download({ headers: { authorization: 'Bearer secret' }, known: { etag: '"a"' } });
    assert.equal(scene.server.asked[0].headers.authorization, 'Bearer secret');
    assert.equal(store.asked[0].headers.authorization, undefined);
    assert.equal(store.asked[0].headers['if-none-match'], '"a"');
    assert.equal(readFileSync(scene.target, 'utf8'), 'stored');
  });
});

describe('a download that fails', () => {
  it('leaves the target as it was, and nothing beside it', async (t) => {
    const cases: readonly (readonly [Answer, RegExp])[] = [
      [(_, response) => void response.writeHead(404).end(), /status 404/],
      [(_, response) => void response.writeHead(204).end(), /status 204 instead of a file/],
      [(_, response) => void response.end(Buffer.alloc(1e6 + 1)), /the file has more than 1000000 bytes/],
      [(_, response) => void response.writeHead(200, { 'content-length': '9' }).destroy(), /no answer/],
    ];
    for (const [answer, message] of cases) {
      const scene = await sceneOf(t, answer);
      writeFileSync(scene.target, 'old');
      await assert.rejects(scene.download(), { message });
      assert.equal(readFileSync(scene.target, 'utf8'), 'old');
      assert.deepEqual(readdirSync(scene.folder), ['export.json']);
    }
  });

  it('says so if the target cannot be written', async (t) => {
    const scene = await sceneOf(t, (_, response) => void response.end('new'));
    mkdirSync(scene.target);
    await assert.rejects(scene.download(), {
      name: 'SourceError',
      message: /export.json: the file cannot be written/,
    });
    assert.deepEqual(readdirSync(scene.folder), ['export.json']);
  });
});
