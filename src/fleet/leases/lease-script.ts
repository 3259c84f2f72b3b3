// The one script that leases: GCRA for every key of a call, in the engine's memory and by its clock, in one
// step. Owns the names of keys in the engine and how a call and its reply are written.
//
// The engine has no clock of ticks, so it counts whole milliseconds times 1024, as rate-limit.ts does: all
// sums are exact. A key is kept until its level has certainly drained, and KEPT_MS longer: one that is
// missing although a replica saw it above zero was evicted. Returns do not shorten that time, or a replica
// that does not know of them would take a key that has drained for an evicted one.
//
// `state` names the epoch of the memory. Without it, or with that of an earlier run of the engine, levels may
// be gone or old: another epoch begins, and for HOLD_MS nothing is granted, while replicas restate what they
// saw.

import type { KeyReply, LeaseCall, LeaseReply } from './lease.ts';
import { BadReplyError } from './reply-guard.ts';

const TICKS_PER_MS = 1024;
/** A replica that has not called for so long does not count. */
export const ANNOUNCED_MS = 5_000;
/** Replicas find a lost memory and restate theirs within this time. */
export const HOLD_MS = 2_000;
/** A clock that is so much later than a replica reckons was set: levels have not drained by that. */
export const JUMP_MS = 2_000;
const KEPT_MS = 10_000;

// One hash tag: all keys are in one slot of a cluster.
const PREFIX = 'vulndex:{quotas}:';

const FIXED_KEYS = 2;
const FIXED_ARGUMENTS = 7;
const ARGUMENTS = 6;
const FIXED_REPLIES = 4;
const REPLIES = 3;
const MOST_MS = 8_640_000_000_000_000; // the last instant of a Date
/** Far more than one engine serves. */
const MOST_REPLICAS = 100_000;

export const LEASE_SCRIPT = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local now = nowMs * ${TICKS_PER_MS}
local replica, knownEpoch, newEpoch, run = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local isRestating, isLeaving = ARGV[5] == '1', ARGV[6] == '1'
local expectedMs = tonumber(ARGV[7])
local function whole(number) return string.format('%.0f', number) end

local state = redis.call('HMGET', KEYS[1], 'epoch', 'run', 'until')
local epoch, untilMs = state[1], tonumber(state[3] or 0)
if not epoch or run ~= '' and state[2] ~= run then
  epoch, untilMs = newEpoch, nowMs + ${HOLD_MS}
  redis.call('HSET', KEYS[1], 'epoch', epoch, 'run', run, 'until', whole(untilMs))
end
isRestating = isRestating or knownEpoch ~= '' and knownEpoch ~= epoch
local isHeld = nowMs < untilMs and untilMs - nowMs <= ${HOLD_MS}
local hasJumped = expectedMs > 0 and nowMs - expectedMs >= ${JUMP_MS}

if isLeaving then
  redis.call('ZREM', KEYS[2], replica)
else
  redis.call('ZADD', KEYS[2], whole(nowMs + ${ANNOUNCED_MS}), replica)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', whole(nowMs))
local replicas = math.max(1, redis.call('ZCARD', KEYS[2]))

local reply = { nowMs, replicas, isHeld and 1 or 0, epoch }
for i = ${FIXED_KEYS + 1}, #KEYS do
  local at = ${FIXED_ARGUMENTS} + (i - ${FIXED_KEYS + 1}) * ${ARGUMENTS}
  local interval, burst = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local owed, wanted = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local returned, seen = tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local full = burst * interval
  local stored = redis.call('GET', KEYS[i])
  local level, isLost, isChanged = 0, 0, returned > 0
  if stored then level = math.max(0, tonumber(stored) - now) end
  if seen > level and (isRestating or not stored) then
    if not isRestating then isLost = 1 end
    level, isChanged = seen, true
  end
  level = math.max(0, math.min(level, full) - returned * interval)
  local granted = 0
  if not isHeld and not hasJumped then
    local left = math.floor((full - level) / interval)
    granted = math.min(owed, left)
    left = left - granted
    granted = granted + math.min(wanted, math.ceil(left / replicas))
  end
  if granted > 0 or isChanged then
    level = level + granted * interval
    local keptMs = math.ceil(level / ${TICKS_PER_MS}) + ${KEPT_MS}
    if returned > 0 then keptMs = math.max(keptMs, redis.call('PTTL', KEYS[i])) end
    redis.call('SET', KEYS[i], whole(now + level), 'PX', whole(keptMs))
  end
  reply[#reply + 1] = granted
  reply[#reply + 1] = level
  reply[#reply + 1] = isLost
end
return reply
`;

/** Who calls, and what else the script must know about it. */
interface Caller {
  readonly replica: string;
  /** Of this run of the engine, or '' if it does not say. */
  readonly run: string;
  /** The name of a new epoch, if the call begins one. */
  readonly newEpoch: string;
}

/** The keys and arguments of a call. */
export function writeCall({ keys, epoch, isRestating, isLeaving, expectedMs }: LeaseCall, caller: Caller) {
  const names = [`${PREFIX}state`, `${PREFIX}replicas`];
  const words: (string | number)[] = [caller.replica, epoch, caller.newEpoch, caller.run];
  words.push(isRestating ? 1 : 0, isLeaving ? 1 : 0, Math.floor(expectedMs));
  for (const { id, rate, owed, wanted, returned, seenMs } of keys) {
    names.push(`${PREFIX}key:${id}`);
    words.push(ticks(rate.emissionIntervalMs), rate.burst, owed, wanted, returned, ticks(seenMs));
  }
  return { names, words };
}

/** A reply is in its order. Throws BadReplyError for what the script cannot have said. */
export function readReply(said: unknown, asked: LeaseCall['keys']): LeaseReply {
  const length = FIXED_REPLIES + asked.length * REPLIES;
  if (!Array.isArray(said) || said.length !== length) {
    throw new BadReplyError(`expected ${length} items from the script, got another answer`);
  }
  const [nowMs, replicas, isHolding, epoch] = said;
  const keys = asked.map(({ rate, owed, wanted }, index): KeyReply => {
    const at = FIXED_REPLIES + index * REPLIES;
    const full = rate.burst * ticks(rate.emissionIntervalMs);
    return {
      granted: within(said[at], 0, owed + wanted, 'tokens granted'),
      levelMs: within(said[at + 1], 0, full, 'a level') / TICKS_PER_MS,
      isLost: within(said[at + 2], 0, 1, 'whether a key is lost') === 1,
    };
  });
  if (typeof epoch !== 'string' || !/^\w{1,64}$/.test(epoch)) {
    throw new BadReplyError('expected the name of an epoch, got another answer');
  }
  return {
    keys,
    nowMs: within(nowMs, 1, MOST_MS, 'a time in milliseconds'),
    replicas: within(replicas, 1, MOST_REPLICAS, 'a count of replicas'),
    isHolding: within(isHolding, 0, 1, 'whether it holds') === 1,
    epoch,
  };
}

function within(said: unknown, least: number, most: number, what: string): number {
  if (Number.isInteger(said) && (said as number) >= least && (said as number) <= most) return said as number;
  const got = typeof said === 'number' ? said : `a ${typeof said}`;
  throw new BadReplyError(`expected ${what}, a whole number from ${least} to ${most}, got ${got}`);
}

function ticks(ms: number): number {
  return Math.round(ms * TICKS_PER_MS);
}
