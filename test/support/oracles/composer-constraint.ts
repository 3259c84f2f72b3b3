// Reads a constraint as composer/semver does, as far as the server writes them, and tells which versions it
// holds. The order of two versions is our own scheme's, which its own tests hold against Composer's.

import assert from 'node:assert/strict';
import { compareKeys, versionKey } from '../../../src/index/versions/version-key.ts';

const PART = /^(<=|>=|==|!=|<|>)(\S+)$/;
/** As in its VersionParser: in lower case, where `RC` matches nothing. */
const MODIFIER = /-[._-]?(?:(?:stable|beta|b|RC|alpha|a|patch|pl|p)(?:[.-]?\d+)*)?(?:[.-]?dev)?$/;
const BRANCH = /^dev-/i;

type Test = (version: string) => boolean;

/** Throws AssertionError for what it does not read. */
export function readConstraint(text: string): Test {
  const branches = text.split('|').map((branch) => branch.split(',').map(readPart));
  return (version) => branches.some((parts) => parts.every((part) => part(version)));
}

function readPart(text: string): Test {
  if (text === '*') return () => true;
  const [, operator, bound] = PART.exec(text) ?? assert.fail(`not a constraint: ${text}`);
  if (BRANCH.test(bound)) {
    assert.equal(operator, '==', 'a branch is compared with itself only');
    return (version) => version === bound;
  }
  const isCut = (operator === '<' || operator === '>=') && !MODIFIER.test(bound.toLowerCase());
  const key = keyOf(isCut ? `${bound}-dev` : bound);
  return (version) => {
    if (BRANCH.test(version)) return operator === '!=';
    const order = compareKeys(keyOf(version), key);
    switch (operator) {
      case '<':
        return order < 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '>=':
        return order >= 0;
      case '==':
        return order === 0;
      default:
        return order !== 0;
    }
  };
}

function keyOf(version: string): Uint8Array {
  return versionKey('composer', version) ?? assert.fail(`not a version: ${version}`);
}
