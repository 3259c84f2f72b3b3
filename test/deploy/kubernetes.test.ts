// The files in deploy/kubernetes/ against the program and against each other: options, ports, paths and time
// limits are the program's, selectors and volumes find what they name. No cluster is asked.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { loadAll } from 'js-yaml';
import { addPublishCommand } from '../../src/cli/publish.ts';
import { readRefreshConfig } from '../../src/cli/refresh/refresh-config.ts';
import { addRefreshCommand } from '../../src/cli/refresh.ts';
import { addServeOptions } from '../../src/cli/serve.ts';
import { ROUTE_LABELS } from '../../src/dialects/dialects.ts';
import { pluck } from '../support/pluck.ts';
import { unreadMembers } from './unread-members.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));
const OVERLAYS = ['base', 'image-volume'];

// biome-ignore lint/suspicious/noExplicitAny: what YAML holds is looked into, and a miss fails the test
type Resource = any;

const resources: readonly Resource[] = readdirSync(join(FOLDER, 'base'))
  .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  .flatMap((name) => loadAll(readFileSync(join(FOLDER, 'base', name), 'utf8')));

function only(kind: string, name = 'vulndex'): Resource {
  const found = resources.filter((each) => each.kind === kind && each.metadata.name === name);
  assert.equal(found.length, 1, `${kind} ${name}`);
  return found[0];
}

const server = only('Deployment').spec.template;
const [serving] = server.spec.containers;
const job = only('CronJob', 'vulndex-publisher').spec.jobTemplate.spec.template;
const [refreshing] = job.spec.initContainers;
const [publishing] = job.spec.containers;
const POD_SPECS: readonly Resource[] = [server.spec, job.spec];
const containersOf = (spec: Resource): readonly Resource[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

const OPTIONS = addServeOptions(new Command()).options;

/** The variables of an overlay. */
function variablesOf(overlay: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(FOLDER, overlay, 'serve.env'), 'utf8').split('\n');
  const set = lines.filter((line) => line !== '' && !line.startsWith('# '));
  return new Map(
    [...set, ...lines.flatMap((line) => /^# (VULNDEX_\w+=.*)/.exec(line)?.[1] ?? [])].map((line) => {
      const [name, ...value] = line.split('=');
      return [name, value.join('=')];
    }),
  );
}

/** The options of a command that these words set. Throws for those that it does not have. */
function optionsOf(words: readonly string[], add: (program: Command) => void): Resource {
  const program = new Command().exitOverride();
  add(program);
  const [command] = program.commands;
  assert.equal(words[0], command.name());
  const { unknown } = command.parseOptions(words.slice(1));
  assert.deepEqual(unknown, []);
  return command.opts();
}

test('what is set is an option of serve, with a value that it takes', () => {
  for (const overlay of OVERLAYS) {
    for (const [name, value] of variablesOf(overlay)) {
      const option = OPTIONS.find(({ envVar }) => envVar === name);
      assert.ok(option !== undefined, `${overlay}: ${name} is not a variable of serve`);
      option.parseArg?.(value, undefined);
    }
  }
  assert.deepEqual(serving.args, ['serve']);
  assert.ok(variablesOf('base').has('VULNDEX_SOURCE'));
  assert.ok(!variablesOf('image-volume').has('VULNDEX_SOURCE'));
});

test('ports are those of the program, and every name of a port is one', () => {
  const portOf = (variable: string) => OPTIONS.find(({ envVar }) => envVar === variable)?.defaultValue;
  assert.deepEqual(
    serving.ports.map((port: Resource) => [port.name, port.containerPort]),
    [
      ['http', portOf('VULNDEX_PORT')],
      ['operations', portOf('VULNDEX_OPS_PORT')],
    ],
  );
  const names = new Set(serving.ports.map((port: Resource) => port.name));
  for (const service of ['vulndex', 'vulndex-operations'])
    for (const { targetPort } of only('Service', service).spec.ports) assert.ok(names.has(targetPort));
  for (const { ports } of only('NetworkPolicy').spec.ingress)
    for (const { port } of ports) assert.ok(names.has(port), port);
});

test('probes ask for what there is: liveness never depends on data', () => {
  const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => serving[name].httpGet);
  assert.deepEqual(
    probes.map(({ path, port }) => [path, port]),
    [
      ['/healthz', 'http'],
      ['/healthz', 'http'],
      ['/readyz', 'http'],
    ],
  );
  for (const { path } of probes) assert.ok(ROUTE_LABELS.includes(path.slice(1)));
});

test('a pod has the time that a stop takes, and is out of rotation before its port closes', () => {
  const drain = Number(variablesOf('base').get('VULNDEX_DRAIN_SECONDS'));
  const [idle, exchange] = [13, 60]; // serve/workers/worker-thread.ts, http/transport/transport.ts
  assert.ok(server.spec.terminationGracePeriodSeconds > drain + idle + exchange);
  const { periodSeconds, failureThreshold, timeoutSeconds } = serving.readinessProbe;
  assert.ok(drain > 2 * (periodSeconds * failureThreshold + timeoutSeconds));
});

test('every selector finds the pods it is for', () => {
  const found = (labels: object, template: Resource) =>
    Object.entries(labels).every(([name, value]) => template.metadata.labels[name] === value);
  const selectors = [
    only('Deployment').spec.selector.matchLabels,
    only('Service').spec.selector,
    only('Service', 'vulndex-operations').spec.selector,
    only('PodDisruptionBudget').spec.selector.matchLabels,
    only('NetworkPolicy').spec.podSelector.matchLabels,
    ...server.spec.topologySpreadConstraints.map(({ labelSelector }: Resource) => labelSelector.matchLabels),
  ];
  for (const labels of selectors)
    assert.deepEqual([found(labels, server), found(labels, job)], [true, false]);
  const { matchLabels } = only('NetworkPolicy', 'vulndex-publisher').spec.podSelector;
  assert.deepEqual([found(matchLabels, server), found(matchLabels, job)], [false, true]);
  const { kind, name } = only('HorizontalPodAutoscaler').spec.scaleTargetRef;
  assert.equal(only(kind, name), only('Deployment'));
  const { minReplicas } = only('HorizontalPodAutoscaler').spec;
  assert.ok(minReplicas > only('PodDisruptionBudget').spec.maxUnavailable);
});

test('every volume is mounted, every mount is a volume, and every container is locked down', () => {
  for (const spec of POD_SPECS) {
    const volumes = spec.volumes.map((volume: Resource) => volume.name).sort();
    const mounts = containersOf(spec).flatMap((each) =>
      each.volumeMounts.map((mount: Resource) => mount.name),
    );
    assert.deepEqual([...new Set(mounts)].sort(), volumes);
    assert.equal(spec.automountServiceAccountToken, false);
    const { runAsNonRoot, runAsUser, seccompProfile } = spec.securityContext;
    assert.deepEqual([runAsNonRoot, runAsUser, seccompProfile.type], [true, 1000, 'RuntimeDefault']);
    for (const { securityContext } of containersOf(spec))
      assert.deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  }
  const inMemory = server.spec.volumes.filter(({ emptyDir }: Resource) => emptyDir?.medium === 'Memory');
  assert.deepEqual(pluck(inMemory, 'name'), ['snapshots']);
});

test('what the servers read and write is on their volumes', () => {
  const variables = variablesOf('base');
  const mounts = serving.volumeMounts;
  const mountOf = (path: string): Resource =>
    mounts.find(({ mountPath }: Resource) => path === mountPath || path.startsWith(`${mountPath}/`));
  assert.equal(mountOf(variables.get('VULNDEX_SNAPSHOTS') ?? '').readOnly, undefined);
  for (const name of ['VULNDEX_KEYS', 'VULNDEX_SOURCE_KEY', 'VULNDEX_LIMITS_PASSWORD_FILE'])
    assert.equal(mountOf(variables.get(name) ?? '').readOnly, true, name);
});

test('the job refreshes and publishes by options that there are, from and to volumes that it mounts', () => {
  const refresh = optionsOf(refreshing.args, (program) => addRefreshCommand(program, ''));
  assert.equal(refresh.config, '/config/refresh.json');
  assert.equal(refresh.unchangedOk, true, 'that nothing is new is no failure');
  const config = readRefreshConfig(join(FOLDER, 'base', 'refresh.json'));
  const mounts = refreshing.volumeMounts.map(({ mountPath }: Resource) => mountPath);
  const isMounted = (path: string): boolean => mounts.some((mount: string) => path.startsWith(`${mount}/`));
  for (const path of [config.snapshots, dirname(config.ids), config.cache, refresh.config])
    assert.ok(isMounted(path), path);
  const publish = optionsOf(publishing.args, (program) => addPublishCommand(program, '1.2.3'));
  assert.equal(publishing.args[1], config.snapshots);
  assert.ok(
    publishing.volumeMounts.some(({ mountPath }: Resource) => publish.key.startsWith(`${mountPath}/`)),
  );
  const interval = Number(variablesOf('base').get('VULNDEX_SOURCE_INTERVAL'));
  assert.ok(publish.activateIn >= 2 * interval * 1000, 'every replica looks in time');
  assert.equal(only('CronJob', 'vulndex-publisher').spec.concurrencyPolicy, 'Forbid');
});

/** What kubectl makes of an overlay; undefined without kubectl. */
function built(overlay: string): readonly Resource[] | undefined {
  const { error, status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(FOLDER, overlay)], {
    encoding: 'utf8',
  });
  if (error !== undefined) return undefined;
  assert.equal(status, 0, stderr);
  return loadAll(stdout) as readonly Resource[];
}

test('kubectl builds each overlay, and names of images and configurations are resolved', (t) => {
  for (const overlay of OVERLAYS) {
    const made = built(overlay);
    if (made === undefined) return t.skip('kubectl is not installed');
    const text = JSON.stringify(made);
    assert.ok(!text.includes('"image":"vulndex"'));
    for (const { kind, metadata } of made)
      if (kind === 'ConfigMap') assert.match(metadata.name, /^vulndex.*-\w{10}$/);
    const deployment = made.find(({ kind }) => kind === 'Deployment');
    const volume = deployment.spec.template.spec.volumes[0];
    const isImage = overlay === 'image-volume';
    assert.deepEqual(Object.keys(volume).sort(), isImage ? ['image', 'name'] : ['emptyDir', 'name']);
    assert.equal(
      made.some(({ kind }) => kind === 'CronJob'),
      !isImage,
    );
  }
});

test('what kubectl builds is valid by the schemas of Kubernetes, and has no member that they do not know', (t) => {
  const models = createRequire(new URL('../../.ci/package.json', import.meta.url));
  const globals = new Set(Object.getOwnPropertyNames(globalThis));
  t.after(() => {
    // The models' helpers write themselves there.
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (!globals.has(name)) Reflect.deleteProperty(globalThis, name);
  });
  for (const overlay of OVERLAYS) {
    const made = built(overlay);
    if (made === undefined) return t.skip('kubectl is not installed');
    for (const resource of made) {
      const { apiVersion, kind, metadata } = resource;
      let model: Resource;
      try {
        model = models(`kubernetes-models/${apiVersion}/${kind}`)[kind];
      } catch {
        return t.skip('kubernetes-models is not installed: npm --prefix .ci ci');
      }
      const unread = unreadMembers(resource, (watched) => model.prototype.validate.call(watched));
      assert.deepEqual(unread, [], `${overlay}: ${kind} ${metadata.name}`);
    }
  }
});
