// Measures servers in turn: in each of several starts, for each scenario, one round of the first, one of the second, and
// so on, and again. Two processes of one build differ, and a machine's speed changes from minute to minute: only rounds
// that follow each other are compared, and only what all starts show is a difference.

import type { Scenario } from '../scenarios.ts';
import { type CapturedScenario, capture, hashOf, send } from './requests.ts';
import { cpuTime, endedSeconds } from './server-process.ts';
import { type Load, TARGET_LABELS, type Target, type TargetName } from './targets.ts';
import { runWrk, type WrkResult, type WrkRun } from './wrk.ts';

/** One measurement of one server. */
export interface Round {
  /** CPU time of the server, microseconds per request. */
  readonly user: number;
  readonly system: number;
  readonly perSecond: number;
  /** How full the server's core was, and wrk's. */
  readonly core: number;
  readonly client: number;
}

export interface Measured {
  readonly title: string;
  /** Of the reply nearest to the mean length. */
  readonly bodyBytes: number;
  /** Over the bodies of all our replies. */
  readonly answersHash: string;
  /** The rounds of each start, by server, ours first. */
  readonly starts: ReadonlyMap<TargetName, Round[][]>;
  /** What was left out, and why. */
  readonly notes: ReadonlySet<string>;
}

/** Measures one round of some seconds. */
export type Fire = (load: Load, status: number, seconds: number) => Promise<Round>;

export interface Site {
  readonly own: Target<Scenario>;
  readonly others: readonly Target[];
  readonly fire: Fire;
  readonly say: (line: string) => void;
}

export interface Effort {
  readonly starts: number;
  /** Of each server in each start. */
  readonly rounds: number;
  readonly seconds: number;
}

const WARM_UP_SECONDS = 1;
const ENOUGH_SHARE = 0.5; // of a core, for a round
const MOST_TIMES = 2; // as long as planned
const CHECKED_REQUESTS = 8; // of each scenario, in each start

/** Every scenario, in the order given. Stops the servers, also after an error. */
export async function measureAll(
  site: Site,
  scenarios: readonly Scenario[],
  effort: Effort,
): Promise<Measured[]> {
  const all: Measured[][] = scenarios.map(() => []);
  for (let start = 1; start <= effort.starts; start++) {
    try {
      for (const [i, scenario] of scenarios.entries()) {
        site.say(`start ${start} of ${effort.starts}: ${scenario.title}`);
        all[i].push(await oneStart(site, scenario, effort));
      }
    } finally {
      for (const { stop } of [site.own, ...site.others]) await stop();
    }
  }
  return all.map(merged);
}

async function oneStart(
  { own, others, fire }: Site,
  scenario: Scenario,
  { rounds, seconds }: Effort,
): Promise<Measured> {
  const first = await own.prepare(scenario);
  if (first === undefined) throw new Error(`${scenario.name}: our server cannot be asked`);
  const captured = await capture(scenario, first.running.address, first.requests);
  const loads = new Map([[own.name, first]]);
  const notes = new Set<string>();
  for (const { name, prepare } of others) {
    const load = await prepare(captured);
    if (load === undefined) continue;
    const difference = await differenceOf(captured, name, load);
    if (difference !== undefined) {
      notes.add(`${scenario.title}: ${TARGET_LABELS[name]} ${difference.words}`);
      // Another build may answer with other bytes. A baseline that does is left out.
      if (name !== 'against' || difference.status !== scenario.status) continue;
    }
    loads.set(name, load);
  }
  const starts = new Map([...loads.keys()].map((name): [TargetName, Round[][]] => [name, [[]]]));
  for (const load of loads.values()) await fire(load, scenario.status, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    for (const [name, load] of loads) starts.get(name)?.[0].push(await fire(load, scenario.status, seconds));
  }
  const { title, typical, status } = captured;
  const answersHash = status >= 400 ? 'with an id each' : hashOf(captured);
  return { title, bodyBytes: typical.body.length, answersHash, starts, notes };
}

/** Requires: at least one start. */
function merged(parts: readonly Measured[]): Measured {
  const starts = new Map(
    [...parts[0].starts.keys()].map((name): [TargetName, Round[][]] => [
      name,
      parts.flatMap((part) => part.starts.get(name) ?? []),
    ]),
  );
  return { ...parts[0], starts, notes: new Set(parts.flatMap(({ notes }) => [...notes])) };
}

/** What is different in some of a server's answers, or undefined: it must send our bytes, a bare server the typical ones. */
async function differenceOf(
  { status: wanted, replies, typical }: CapturedScenario,
  name: TargetName,
  { running, requests }: Load,
): Promise<{ readonly status: number; readonly words: string } | undefined> {
  const step = Math.ceil(requests.length / CHECKED_REQUESTS);
  for (let i = 0; i < requests.length; i += step) {
    const { status, body } = await send(running.address, requests[i]);
    const ours = name === 'uws' ? typical : replies[i];
    // An error's body contains an id made for the request.
    if (status === wanted && (wanted >= 400 || body.equals(ours.body))) continue;
    const answer = `${status} and ${body.length} bytes, not with ${wanted} and our ${ours.body.length}`;
    return { status, words: `answers ${requests[i].path} with ${answer}` };
  }
  return undefined;
}

/**
 * Rounds with wrk. On a busy machine a server gets only a part of its core; the round is then prolonged, up to a limit,
 * until it has used as much CPU time as an undisturbed one. Throws if a connection failed or a reply had another status.
 */
export function fireWith(wrk: Pick<WrkRun, 'core' | 'folder' | 'pipeline'>): Fire {
  return async ({ running: { address, pid }, requests }, status, seconds) => {
    const before = { server: cpuTime(pid), client: endedSeconds() };
    let count = 0;
    let tookSeconds = 0;
    for (;;) {
      const result = await runWrk({ ...wrk, address, requests, seconds });
      checkReplies(result, status, requests[0].path);
      count += result.requests;
      tookSeconds += result.seconds;
      const after = cpuTime(pid);
      const user = after.user - before.server.user;
      const system = after.system - before.server.system;
      if (user + system < seconds * ENOUGH_SHARE && tookSeconds < seconds * MOST_TIMES) continue;
      return {
        user: (user * 1e6) / count,
        system: (system * 1e6) / count,
        perSecond: count / tookSeconds,
        core: (user + system) / tookSeconds,
        client: (endedSeconds() - before.client) / tookSeconds,
      };
    }
  };
}

function checkReplies({ requests, refusals, failures }: WrkResult, status: number, path: string): void {
  const isAsExpected = status >= 400 ? refusals >= requests : refusals === 0;
  if (requests > 0 && failures === 0 && isAsExpected) return;
  throw new Error(
    `${path}: of ${requests} replies ${refusals} have a status of 400 or more, and ${failures} failed`,
  );
}
