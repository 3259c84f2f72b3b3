// auditjs, and the analyzer of Dependency-Check, against the server: both find exactly what the feed has, and
// fail with a key that is not valid.
//
// `npm run test:clients -- --install` installs both. Java runs the source below as it is.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type FeedJson, feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PARTNER_KEY, startServer } from '../support/serving/server.ts';
import { type Ran, run } from './support/programs.ts';

const AUDITJS = fileURLToPath(new URL('node_modules/auditjs/bin/index.js', import.meta.url));
const JARS = fileURLToPath(new URL('.jars', import.meta.url));
const USER = 'ci@shop.example';

const SAME = { title: 'Same title', cves: [], affected: [span(null, null)] };
const V4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N';
const maven = (slug: string): FeedJson => ({ id: 30, type: 'maven', slug, name: slug });

/** With what clients stumble over: one title twice, no CVE, no score, vectors that they cannot read. */
const RECORDS: readonly FeedJson[] = [
  feedRecord(1, { source_id: 'GHSA-aaaa-bbbb-cccc', product: npmProduct('tidy-tree') }),
  feedRecord(2, {
    ...SAME,
    source_id: 'ACME-2026-2',
    product: npmProduct('tidy-tree'),
    cvss: { score: null, vector: null },
    cwe: null,
  }),
  feedRecord(3, {
    ...SAME,
    source_id: 'ACME-2026-3',
    product: npmProduct('tidy-tree'),
    cvss: { score: 5, vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' },
  }),
  feedRecord(4, { product: npmProduct('tidy-tree'), cvss: { score: 5, vector: 'CVSS:3.1/AV:N' } }),
  feedRecord(5, { product: npmProduct('tidy-tree'), cvss: { score: 6.9, vector: V4 } }),
  feedRecord(6, { product: npmProduct('tidy-tree'), affected: [span('2.0.0', null)] }),
  feedRecord(7, { product: maven('com.acme:core') }),
];
/** Of tidy-tree 1.2.0. */
const NAMES = [
  'CVE-2026-1',
  'CVE-2026-4',
  'CVE-2026-5',
  '[ACME-2026-2] Same title',
  '[ACME-2026-3] Same title',
];

async function addressOf(t: TestContext): Promise<string> {
  return `${(await startServer(t, { records: RECORDS })).address}/oss-index`;
}

/** A project as npm has installed it. */
function writeProject(folder: string): void {
  const dependencies = { 'tidy-tree': '1.2.0', clean: '1.0.0' };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'shop', version: '1.0.0', dependencies }),
  );
  for (const [name, version] of Object.entries(dependencies)) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
  }
}

interface AuditjsReport {
  readonly coordinates: string;
  readonly vulnerabilities: readonly { readonly title: string; readonly cve?: string }[];
}

for (const command of ['ossi', 'guide']) {
  test(`auditjs ${command} finds what the feed has`, {
    skip: existsSync(AUDITJS) ? false : 'auditjs is not installed; npm run test:clients -- --install',
  }, async (t) => {
    const folder = temporaryFolder(t);
    writeProject(folder);
    const server = await addressOf(t);
    const audit = (key: string): Promise<Ran> => {
      const words = [AUDITJS, command, '--server', server, '--user', USER, '--password', key, '--json'];
      return run(folder, process.execPath, words, { HOME: folder, NO_COLOR: '1' });
    };
    const refused = await audit('wrong');
    assert.equal(refused.status, 1);
    assert.doesNotMatch(refused.stdout, /coordinates/);
    const { status, stdout, stderr } = await audit(PARTNER_KEY);
    assert.equal(status, 1, stdout + stderr);
    const reports = JSON.parse(stdout) as readonly AuditjsReport[];
    assert.deepEqual(
      reports
        .flatMap(({ coordinates, vulnerabilities }) =>
          vulnerabilities.map(({ title, cve }) => `${coordinates} ${cve ?? title}`),
        )
        .sort(),
      NAMES.map((name) => `pkg:npm/tidy-tree@1.2.0 ${name}`),
    );
    assert.equal(reports.length, 2);
  });
}

const JAVA = `
import com.github.packageurl.PackageURL;
import java.io.File;
import org.owasp.dependencycheck.Engine;
import org.owasp.dependencycheck.analyzer.OssIndexAnalyzer;
import org.owasp.dependencycheck.dependency.Confidence;
import org.owasp.dependencycheck.dependency.Dependency;
import org.owasp.dependencycheck.dependency.naming.PurlIdentifier;
import org.owasp.dependencycheck.utils.Downloader;
import org.owasp.dependencycheck.utils.Settings;

public class Ask {
  public static void main(String[] words) throws Exception {
    Settings settings = new Settings();
    settings.setString(Settings.KEYS.ANALYZER_OSSINDEX_URL, words[0]);
    settings.setString(Settings.KEYS.ANALYZER_OSSINDEX_USER, words[1]);
    settings.setString(Settings.KEYS.ANALYZER_OSSINDEX_PASSWORD, words[2]);
    settings.setBoolean(Settings.KEYS.ANALYZER_OSSINDEX_USE_CACHE, false);
    Downloader.getInstance().configure(settings);
    try (Engine engine = new Engine(Engine.Mode.EVIDENCE_COLLECTION, settings)) {
      for (int i = 3; i < words.length; i++) {
        Dependency dependency = new Dependency(new File("jar" + i), true);
        dependency.addSoftwareIdentifier(new PurlIdentifier(new PackageURL(words[i]), Confidence.HIGHEST));
        engine.addDependency(dependency);
      }
      OssIndexAnalyzer analyzer = new OssIndexAnalyzer();
      analyzer.initialize(settings);
      analyzer.prepare(engine);
      for (Dependency dependency : engine.getDependencies()) {
        analyzer.analyze(dependency, engine);
        String purl = dependency.getSoftwareIdentifiers().iterator().next().getValue();
        dependency.getVulnerabilities().forEach(found -> System.out.println("found " + purl + " " + found.getName()));
      }
      analyzer.close();
    }
  }
}
`;

test('Dependency-Check finds what the feed has', {
  skip: existsSync(JARS) ? false : 'Dependency-Check is not installed; npm run test:clients -- --install',
}, async (t) => {
  const folder = temporaryFolder(t);
  const classpath = readFileSync(JARS, 'utf8').trim();
  const source = join(folder, 'Ask.java');
  writeFileSync(source, JAVA);
  const server = await addressOf(t);
  const purls = ['tidy-tree@1.2.0', 'tidy-tree@latest', 'clean@1.0.0'].map((name) => `pkg:npm/${name}`);
  const analyse = (key: string): Promise<Ran> => {
    const asked = [...purls, 'pkg:maven/com.acme/core@1.4.9', 'pkg:generic/unheard@1'];
    return run(folder, 'java', ['-cp', classpath, source, server, USER, key, ...asked]);
  };
  const refused = await analyse('wrong');
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /credentials/);
  const { status, stdout, stderr } = await analyse(PARTNER_KEY);
  assert.equal(status, 0, stderr);
  const found = stdout.split('\n').flatMap((line) => /^found (.*)$/.exec(line)?.[1] ?? []);
  assert.deepEqual(
    found.sort(),
    [
      ...NAMES.map((name) => `${purls[0]} ${name}`),
      ...[...NAMES, 'CVE-2026-6'].map((name) => `${purls[1]} ${name}`),
      'pkg:maven/com.acme/core@1.4.9 CVE-2026-7',
    ].sort(),
  );
});
