// Measures servers in turn: in each of several starts, for each scenario, a moment of the first, of the
// second, and so on, and again. A machine's speed changes from second to second, and two processes of one
// build differ: only what was measured in turn is compared, and only what all starts show is a difference.

import type { Scenario } from '../scenarios.ts';
import { type CapturedScenario, capture, hashOf, send } from './requests.ts';
import { type CpuTime, cpuTime, endedSeconds } from './server-process.ts';
import { type Load, TARGET_LABELS, type Target, type TargetName } from './targets.ts';
import { requireSound, type Wrk } from './wrk.ts';

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
  /** A round of each start, by server, ours first. */
  readonly rounds: Map<TargetName, readonly Round[]>;
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** Measures each of them for some seconds. */
export type Fire = (loads: readonly Load[], status: number, seconds: number) => Promise<Round[]>;

export interface Site {
  readonly own: Target<Scenario>;
  readonly others: readonly Target[];
  readonly fire: Fire;
  readonly say: (line: string) => void;
}

export interface Effort {
  readonly starts: number;
  /** For each server in each start. */
  readonly seconds: number;
}

const TURN_MS = 100;
const FIRST_WARM_UP_SECONDS = 1; // of a process
const WARM_UP_SHARE = 0.3; // for each other scenario, of the time that counts
const ENOUGH_SHARE = 0.5; // of a core
const MOST_TIMES = 2; // as long as planned
const CHECKED_REQUESTS = 8; // of a baseline, for each scenario in each start

/** Every scenario, in the order given. Stops the servers, also after an error. */
export async function measureAll(
  { own, others, fire, say }: Site,
  scenarios: readonly Scenario[],
  { starts, seconds }: Effort,
): Promise<Measured[]> {
  const all = new Map<Scenario, Measured>();
  for (let start = 1; start <= starts; start++) {
    try {
      for (const scenario of scenarios) {
        say(`start ${start} of ${starts}: ${scenario.title}`);
        const { captured, loads, notes } = await prepareAll(own, others, scenario);
        const asked = [...loads.values()];
        const isFirst = scenario === scenarios[0];
        await fire(asked, scenario.status, isFirst ? FIRST_WARM_UP_SECONDS : seconds * WARM_UP_SHARE);
        const rounds = await fire(asked, scenario.status, seconds);
        const measured = all.get(scenario) ?? begin(captured, notes);
        all.set(scenario, measured);
        [...loads.keys()].forEach((name, i) => {
          measured.rounds.set(name, [...(measured.rounds.get(name) ?? []), rounds[i]]);
        });
      }
    } finally {
      for (const { stop } of [own, ...others]) await stop();
    }
  }
  return [...all.values()];
}

function begin(captured: CapturedScenario, notes: readonly string[]): Measured {
  const { title, typical, status } = captured;
  const answersHash = status >= 400 ? 'with an id each' : hashOf(captured);
  return { title, bodyBytes: typical.body.length, answersHash, rounds: new Map(), notes };
}

/** Our server's answers, and what to send to each server that can be compared, ours first. */
async function prepareAll(own: Target<Scenario>, others: readonly Target[], scenario: Scenario) {
  const first = await own.prepare(scenario);
  if (first === undefined) throw new Error(`${scenario.name}: our server cannot be asked`);
  const captured = await capture(scenario, first.running.address, first.requests);
  const loads = new Map([[own.name, first]]);
  const notes: string[] = [];
  for (const { name, prepare } of others) {
    const load = await prepare(captured);
    if (load === undefined) continue;
    const difference = await differenceOf(captured, name, load);
    if (difference !== undefined) {
      notes.push(`${scenario.title}: ${TARGET_LABELS[name]} ${difference.words}`);
      // Another build may answer with other bytes. A baseline that does is left out.
      if (name !== 'against' || difference.status !== scenario.status) continue;
    }
    loads.set(name, load);
  }
  return { captured, loads, notes };
}

/**
 * What is different in some of a server's answers, or undefined: it must send our bytes, a bare server the
 * typical ones.
 */
async function differenceOf(
  { status: wanted, replies, typical }: CapturedScenario,
  name: TargetName,
  { running, requests }: Load,
): Promise<{ readonly status: number; readonly words: string } | undefined> {
  // A build makes items when they are first asked for: ours has been asked for all.
  const step = name === 'against' ? 1 : Math.ceil(requests.length / CHECKED_REQUESTS);
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

/** Lets it pass, and returns its seconds: timers are late on a busy machine. */
async function aTurn(): Promise<number> {
  const startMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  return (performance.now() - startMs) / 1000;
}

/**
 * Rounds with wrk, one for each server, which holds all but one of them and lets the next go on after a
 * moment. On a busy machine a server gets only a part of its core; all are then prolonged, up to a limit,
 * until each has used as much CPU time as counts. Throws if a connection failed or a reply had another
 * status.
 */
export function fireWith(startOne: (load: Load, i: number) => Wrk, turn = aTurn): Fire {
  return async (loads, status, seconds) => {
    const runs = loads.map((load, i) => {
      const { pid } = load.running;
      const before = cpuTime(pid);
      const used = (): CpuTime => {
        const { user, system } = cpuTime(pid);
        return { user: user - before.user, system: system - before.system };
      };
      return { wrk: startOne(load, i), seconds: 0, used, load };
    });
    const isShort = (run: (typeof runs)[number]): boolean => {
      const { user, system } = run.used();
      return run.seconds < seconds || user + system < seconds * ENOUGH_SHARE;
    };
    while (runs.some(isShort) && runs[0].seconds < seconds * MOST_TIMES) {
      for (const run of runs) {
        run.wrk.goOn();
        run.seconds += await turn();
        run.wrk.hold();
      }
    }
    const rounds: Round[] = [];
    for (const { wrk, seconds: until, used, load } of runs) {
      const startMs = performance.now();
      const before = endedSeconds();
      const result = await wrk.end(); // it goes on for a moment
      requireSound(result, status, load.requests[0].path);
      const { requests } = result;
      const took = until + (performance.now() - startMs) / 1000;
      const { user, system } = used();
      rounds.push({
        user: (user * 1e6) / requests,
        system: (system * 1e6) / requests,
        perSecond: requests / took,
        core: (user + system) / took,
        client: (endedSeconds() - before) / took,
      });
    }
    return rounds;
  };
}
