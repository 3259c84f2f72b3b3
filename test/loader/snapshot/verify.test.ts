import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type BlockSectionBytes,
  COLUMN_NAMES,
  COLUMNS,
  type ColumnName,
  FIRST_SHARED,
  FIRST_WIDE,
  type IndexColumns,
  NONE,
  WITHDRAWN_RUN,
} from '../../../src/index/columns.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { endOfSpans, firstSpan } from '../../../src/index/span-list.ts';
import { VERSION_SCHEMES } from '../../../src/index/versions/version-key.ts';
import { SnapshotError, type SnapshotErrorCode } from '../../../src/loader/errors.ts';
import { blockSectionBytes, parseHeader } from '../../../src/loader/format.ts';
import { verifyIndex } from '../../../src/loader/snapshot/verify.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileRecords, copyColumns, readBytes, sampleRecords } from '../../support/snapshots/snapshots.ts';

// The sample's rows. Ordinals: 106..101 are 0..5, 203..201 are 6..8, withdrawn 302 and 301 are 9 and 10.
// Products: gallery (groups 0 php, 1 decimal), paper (none: 104 affects every version), wordpress (2),
// @scope/right (3), gone (none), left (4).
const PUBLISHED = 9;
const ADVISORIES = 11;
const PRODUCTS = 6;

const folder = temporaryFolder({ after });
let sound: Uint8Array;
let sectionBytes: BlockSectionBytes;

before(async () => {
  sound = readBytes(await compileRecords(folder, sampleRecords()));
  sectionBytes = blockSectionBytes(parseHeader(sound));
});

type Change = (columns: IndexColumns) => Partial<IndexColumns> | undefined;

function refusalOf(change: Change): SnapshotError {
  const columns = copyColumns(sound);
  const changed = { ...columns, ...change(columns) };
  try {
    verifyIndex(changed, sectionBytes);
  } catch (error) {
    assert.ok(error instanceof SnapshotError, `not a SnapshotError: ${error}`);
    return error;
  }
  return assert.fail('the index was accepted');
}

function assertRefused(code: SnapshotErrorCode, column: ColumnName, change: Change, element?: number): void {
  const error = refusalOf(change);
  assert.equal(error.code, code, error.message);
  assert.equal(error.section, `index.${column}`, error.message);
  if (element !== undefined) assert.equal(error.offset, element, error.message);
}

/** One element set. */
function set(column: ColumnName, element: number, value: number): Change {
  return (columns) => {
    columns[column][element] = value;
    return undefined;
  };
}

function swap(column: ColumnName, a: number, b: number): Change {
  return (columns) => {
    const values = columns[column];
    [values[a], values[b]] = [values[b], values[a]];
    return undefined;
  };
}

/** An element that is the next row of the table of wide numbers, which gets these. */
function withWide(column: ColumnName, element: number, wide: readonly number[]): Change {
  return (columns) => {
    const { wideNumber } = columns;
    columns[column][element] = FIRST_WIDE + wideNumber.length;
    return { wideNumber: Float64Array.of(...wideNumber, ...wide) };
  };
}

function both(first: Change, second: Change): Change {
  return (columns) => ({ ...first(columns), ...second(columns) });
}

test('the sample is what these tests take it for, and sound', () => {
  const columns = copyColumns(sound);
  verifyIndex(columns, sectionBytes);
  assert.deepEqual([...columns.advisoryId], [106, 105, 104, 103, 102, 101, 203, 202, 201, 302, 301]);
  assert.deepEqual([...columns.productAdvisoryStart], [0, 3, 4, 6, 7, 7, 9]);
  assert.deepEqual([...columns.productGroupStart], [0, 2, 2, 3, 4, 4, 5]);
  assert.deepEqual([...columns.groupBoundStart.subarray(0, 2)], [0, 5]);
  assert.deepEqual([...columns.intervalLo.subarray(0, 3)], [0, 1, 7]);
});

// A dictionary may have any length up to its limit; the sample is too small for one.
const measured = COLUMN_NAMES.filter((name) => !name.endsWith('Dictionary'));

test('a column with one element less is refused, whichever', () => {
  for (const name of measured) {
    const { code } = refusalOf((columns) => ({ [name]: columns[name].slice(0, -1) }));
    assert.equal(code, 'bad-index', name);
  }
});

test('a column with one element more is refused, whichever', () => {
  for (const name of measured) {
    if (name === 'wideNumber') continue; // a row that nothing uses does no harm
    const { code } = refusalOf((columns) => {
      const longer = columns[name].constructor as new (length: number) => (typeof columns)[typeof name];
      const values = new longer(columns[name].length + 1);
      values.set(columns[name]);
      return { [name]: values };
    });
    // The last beginning, which ends a column, has to be the last; one more body would fit into the same
    // block.
    const isOrdered = name.endsWith('Start') || name === 'bodyAdvisory';
    assert.ok(code === 'bad-index' || (code === 'unsorted' && isOrdered), `${name}: ${code}`);
  }
});

test('an empty column is refused, whichever', () => {
  for (const name of measured) {
    assert.equal(refusalOf((columns) => ({ [name]: columns[name].slice(0, 0) })).code, 'bad-index', name);
  }
});

test('a dictionary longer than a match can reach is refused', () => {
  for (const name of ['textDictionary', 'detailDictionary', 'bodyDictionary'] as const) {
    const ofBytes = (length: number): Change => {
      return () => ({ [name]: new Uint8Array(length) });
    };
    const columns = { ...copyColumns(sound), ...ofBytes(32_768)(copyColumns(sound)) };
    verifyIndex(columns, sectionBytes);
    assertRefused('bad-index', name, ofBytes(32_769), 0);
    assert.match(refusalOf(ofBytes(32_769)).message, /expected at most 32768 elements, got 32769/);
  }
});

test('runs that do not add up to the advisories are refused', () => {
  assertRefused('bad-index', 'runCounts', set('runCounts', WITHDRAWN_RUN, 3));
  assertRefused('bad-index', 'runCounts', (columns) => ({
    runCounts: columns.runCounts.slice(0, WITHDRAWN_RUN),
  }));
});

const starts = COLUMN_NAMES.filter((name) => name.endsWith('Start'));

test('a column of beginnings that does not begin with 0 is refused', () => {
  for (const name of starts) assertRefused('bad-index', name, set(name, 0, 1), 0);
});

test('a column of beginnings that falls is refused', () => {
  const long = starts.filter((name) => copyColumns(sound)[name].length > 2);
  // All texts of the sample are one block, and so are its details and bodies; one source id is spelled apart,
  // and one alias shared.
  assert.equal(long.length, starts.length - 5);
  for (const name of long) assertRefused('unsorted', name, set(name, 1, NONE), 2);
});

test('a column of beginnings must end where the column it points into ends', () => {
  for (const name of starts) {
    const change: Change = (columns) => {
      columns[name][columns[name].length - 1]++;
      return undefined;
    };
    assertRefused('bad-index', name, change, copyColumns(sound)[name].length - 1);
  }
});

const limits = (): readonly (readonly [ColumnName, number])[] => {
  const { termStart, versionTextStart, spanListStart, spanFrom, traitsCvss, aliasStart } = copyColumns(sound);
  const terms = termStart.length - 1;
  const versions = versionTextStart.length - 1;
  return [
    ['advisoryScheme', VERSION_SCHEMES.length],
    ['advisoryProduct', PRODUCTS],
    ['advisoryLabel', terms],
    ['advisoryTraits', traitsCvss.length],
    ['advisorySpans', spanListStart.length - 1],
    ['traitsVulnType', terms],
    ['traitsCvss', terms],
    ['traitsCwe', terms],
    ['traitsCapec', terms],
    ['traitsOwasp', terms],
    ['traitsSeverity', terms],
    ['traitsSources', terms],
    ['advisorySourceId', aliasStart.length - 1],
    ['spelledAdvisory', ADVISORIES],
    ['spanFrom', versions],
    ['spanTo', versions],
    ['spanFixedIn', versions],
    ['spanToBound', 4],
    ['productType', PRODUCT_TYPES.length],
    ['productAdvisory', PUBLISHED],
    ['groupScheme', VERSION_SCHEMES.length],
    ['boundVersion', versions],
    ['clearVersion', versions],
    ['intervalAdvisory', PUBLISHED],
    ['sharedAliasAdvisory', ADVISORIES],
    ['intervalSpan', spanFrom.length],
    ['createdOrder', PUBLISHED],
    ['psidOrder', ADVISORIES],
    ['bodyAdvisory', ADVISORIES],
    ['epssAdvisory', ADVISORIES],
    ['kevAdvisory', ADVISORIES],
  ];
};

test('the columns of indexes are all listed here', () => {
  const pointers = COLUMN_NAMES.filter((name) => COLUMNS[name].kind === 'pointers');
  const listed = limits().map(([name]) => name);
  assert.deepEqual(listed.toSorted(), pointers.toSorted());
});

test('an index must stay below the number of what it names', () => {
  for (const [name, limit] of limits()) assertRefused('bad-index', name, set(name, 0, limit), 0);
});

test('an index may be all ones for null only where a span has no bound or no fix, or an advisory no source id', () => {
  const nullable: readonly ColumnName[] = ['spanFrom', 'spanTo', 'spanFixedIn', 'advisorySourceId'];
  for (const [name] of limits()) {
    if (!nullable.includes(name)) assertRefused('bad-index', name, set(name, 0, NONE), 0);
  }
});

test('advisories must have ids that JSON numbers hold exactly', () => {
  for (const id of [0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    assertRefused('bad-index', 'advisoryId', set('advisoryId', 0, id), 0);
  }
});

test('advisories must descend by id within each run, and begin anew with the next', () => {
  for (const first of [0, 6, 9]) {
    assertRefused('unsorted', 'advisoryId', swap('advisoryId', first, first + 1), first + 1);
    assertRefused('unsorted', 'advisoryId', set('advisoryId', first + 1, 400), first + 1);
  }
});

test('advisories must have a priority, a known kind and no other flag', () => {
  for (const flags of [0, 1, 1 << 4, (3 << 4) | 2, 128 | 2]) {
    assertRefused('bad-index', 'advisoryFlags', set('advisoryFlags', 4, flags), 4);
  }
});

test('advisories must be in the run of their platform', () => {
  assertRefused('bad-index', 'advisoryProduct', set('advisoryProduct', 5, 5), 5);
  assertRefused('bad-index', 'advisoryProduct', set('advisoryProduct', 6, 0), 6);
});

test('lists of spans must have a span, and be of some advisory, in the order in which advisories come', () => {
  assertRefused('bad-index', 'spanListStart', set('spanListStart', 1, 0), 0);
  assertRefused('unsorted', 'advisorySpans', set('advisorySpans', 0, 1), 0);
  assertRefused('bad-index', 'spanListStart', ({ spanListStart, spanFrom, ...columns }) => ({
    spanListStart: Uint32Array.of(...spanListStart, spanFrom.length + 1),
    spanFrom: Uint32Array.of(...spanFrom, NONE),
    spanTo: Uint32Array.of(...columns.spanTo, NONE),
    spanToBound: Uint8Array.of(...columns.spanToBound, 0),
    spanFixedIn: Uint32Array.of(...columns.spanFixedIn, NONE),
  }));
});

test('advisories must not share spans that name versions of another scheme', () => {
  // 101 and the withdrawn 301 share theirs, under php.
  const { advisorySpans } = copyColumns(sound);
  assert.equal(advisorySpans[10], advisorySpans[5]);
  assertRefused('bad-index', 'advisorySpans', set('advisoryScheme', 10, 1), 10);
});

test('advisories must have times that RFC 3339 can write', () => {
  const times = ['advisoryDisclosedAt', 'advisoryCreatedAt', 'advisoryModifiedAt'] as const;
  for (const name of times) {
    for (const wide of [0.5, Number.NaN, 253_402_300_800, -62_167_219_201]) {
      assertRefused('bad-index', name, withWide(name, 3, [wide]), 3);
    }
    assertRefused('bad-index', name, withWide(name, 3, []), 3);
  }
});

test('products must have numbers that JSON numbers hold exactly', () => {
  for (const wide of [0.5, Number.NaN, -1, 2 ** 53]) {
    assertRefused('bad-index', 'productNumber', withWide('productNumber', 1, [wide]), 1);
  }
  assertRefused('bad-index', 'productNumber', withWide('productNumber', 1, []), 1);
});

test('source ids in the table of their own must ascend by advisory', () => {
  const change: Change = () => ({
    spelledAdvisory: Uint32Array.of(3, 3),
    spelledIdStart: Uint32Array.of(0, 1, 2),
    spelledId: Uint8Array.of(0x61, 0x62),
  });
  assertRefused('unsorted', 'spelledAdvisory', change, 1);
});

test('versions must ascend by key within a scheme, equal keys by text', () => {
  assertRefused('unsorted', 'versionKey', set('versionKey', 0, 255), 1);
  assertRefused('unsorted', 'versionKey', (columns) => {
    const { versionTextStart, versionKeyStart, versionText, versionKey } = columns;
    versionTextStart[1] = versionTextStart[2] >> 1;
    versionKeyStart[1] = versionKeyStart[2] >> 1;
    versionText.fill(49, 0, versionTextStart[2]);
    versionKey.fill(49, 0, versionKeyStart[2]);
    versionTextStart[2] = versionTextStart[1] * 2;
    versionKeyStart[2] = versionKeyStart[1] * 2;
    return undefined;
  });
});

test('versions must have the key of their text, under every scheme', () => {
  VERSION_SCHEMES.forEach((_, scheme) => {
    const change: Change = ({ versionSchemeStart, versionKeyStart, versionKey }) => {
      const last = versionSchemeStart[scheme + 1]; // the last version can grow without passing another
      versionKey[versionKeyStart[last - 1]] += 1;
      return undefined;
    };
    assertRefused('bad-index', 'versionKey', change);
    assert.match(refusalOf(change).message, /expected [0-9a-f]+ for "/);
  });
});

test('versions of semver must be semantic versions, but for fixes', () => {
  const change: Change = ({ versionSchemeStart, versionTextStart, versionText }) => {
    const last = versionSchemeStart[VERSION_SCHEMES.indexOf('semver') + 1] - 1;
    versionText[versionTextStart[last]] = 'x'.charCodeAt(0);
    return undefined;
  };
  assertRefused('bad-index', 'versionKey', change);
  assert.match(refusalOf(change).message, /expected no bytes for "x/);
});

test('spans must have versions of the scheme of their advisory', () => {
  for (const name of ['spanFrom', 'spanTo', 'spanFixedIn'] as const) {
    // 201 has one span, under semver.
    const change: Change = (columns) =>
      void columns[name].fill(0, firstSpan(columns, 8), endOfSpans(columns, 8));
    assertRefused('bad-index', name, change);
  }
});

test('spans must have bounds that are versions', () => {
  // The fix `never` has an empty key and so is the first of its scheme.
  const change: Change = (columns) =>
    void columns.spanFrom.set([columns.versionSchemeStart[2]], firstSpan(columns, 8));
  assertRefused('bad-index', 'spanFrom', change);
});

test('versions must have texts of at most 256 bytes: answers have no room for more', () => {
  for (const [name, starts] of [
    ['versionText', 'versionTextStart'],
    ['productSlug', 'productSlugStart'],
  ] as const) {
    for (const length of [257, 70_000]) {
      assertRefused('bad-index', name, (columns) => {
        const [, first] = columns[starts];
        const text = new Uint8Array(length).fill(0x31);
        return {
          [name]: Uint8Array.from([...text, ...columns[name].subarray(first)]),
          [starts]: columns[starts].map((start, i) => (i === 0 ? 0 : start + length - first)),
        };
      });
    }
  }
});

test('versions, products and aliases must have texts in UTF-8, each by itself', () => {
  for (const name of ['versionText', 'productSlug', 'aliasText'] as const) {
    assertRefused('bad-index', name, (columns) => void columns[name].fill(0xff, columns[name].length - 1));
  }
  // The pool as a whole is sound, but the character in it belongs half to one text and half to the next.
  assertRefused('bad-index', 'versionText', ({ versionText, versionTextStart }) => {
    versionText.set(Buffer.from('é'), versionTextStart[2] - 1);
    return undefined;
  });
});

test('products must ascend by type, then by slug, none twice', () => {
  assertRefused('unsorted', 'productSlug', set('productType', 0, 2), 1);
  assertRefused(
    'unsorted',
    'productSlug',
    (columns) => {
      columns.productSlug[columns.productSlugStart[3]] = 0x7a; // '@scope/right' to 'zscope/right'
      return undefined;
    },
    4,
  );
  assertRefused(
    'unsorted',
    'productSlug',
    (columns) => {
      const { productSlug, productSlugStart } = columns;
      productSlug.copyWithin(productSlugStart[4], productSlugStart[5], productSlugStart[6]); // 'left' twice
      return undefined;
    },
    5,
  );
});

test('products must list their own advisories, ascending', () => {
  assertRefused('unsorted', 'productAdvisory', swap('productAdvisory', 0, 1), 1);
  assertRefused('bad-index', 'productAdvisory', set('productAdvisory', 3, 5), 3);
});

test('groups must be of ascending schemes within a product', () => {
  assertRefused('unsorted', 'groupScheme', set('groupScheme', 1, 0), 1);
});

test('groups of an npm product must be under semver', () => {
  assertRefused('bad-index', 'groupScheme', set('groupScheme', 3, 3), 3);
});

test('groups must have versions to update to of their scheme, ascending, none twice', () => {
  assertRefused('bad-index', 'clearVersion', set('clearVersion', 0, 18), 0);
  assertRefused('bad-index', 'groupClearStart', set('groupClearStart', 0, 1), 0);
  assertRefused('bad-index', 'fixCounts', () => ({ fixCounts: Uint32Array.of(1) }), 0);
  // 4.1.9 twice: the last of the two clear versions, in group 2.
  assertRefused(
    'unsorted',
    'clearVersion',
    ({ clearVersion, groupClearStart }) => ({
      clearVersion: Uint32Array.of(...clearVersion, clearVersion[1]),
      groupClearStart: groupClearStart.map((start, group) => (group > 2 ? start + 1 : start)),
    }),
    2,
  );
});

test('groups must have bounds of their scheme, ascending, none twice', () => {
  assertRefused(
    'bad-index',
    'boundVersion',
    (columns) => {
      columns.boundVersion[0] = columns.versionSchemeStart[1];
      return undefined;
    },
    0,
  );
  assertRefused('unsorted', 'boundVersion', swap('boundVersion', 0, 1), 1);
  assertRefused(
    'unsorted',
    'boundVersion',
    (columns) => {
      columns.boundVersion[1] = columns.boundVersion[0];
      return undefined;
    },
    1,
  );
});

test('groups must have intervals that end after they begin and among the bounds', () => {
  assertRefused('bad-index', 'intervalHi', set('intervalHi', 1, 0), 1);
  assertRefused('bad-index', 'intervalHi', set('intervalHi', 0, 11), 0);
});

test('groups must have intervals in order: lo up, hi down, span down, advisory down', () => {
  assertRefused('unsorted', 'intervalLo', set('intervalLo', 0, 4), 1);
  assertRefused('unsorted', 'intervalLo', both(set('intervalLo', 1, 0), set('intervalHi', 1, 5)), 1);
  assertRefused(
    'unsorted',
    'intervalLo',
    (columns) => {
      columns.intervalLo[1] = columns.intervalLo[0];
      columns.intervalHi[1] = columns.intervalHi[0];
      columns.intervalSpan[1] = columns.intervalSpan[0];
      columns.intervalAdvisory[1] = columns.intervalAdvisory[0];
      return undefined;
    },
    1,
  );
});

test('groups must have one interval for each span of each of their advisories', () => {
  assertRefused(
    'bad-index',
    'intervalSpan',
    (columns) => {
      const cut = (values: Uint32Array): Uint32Array => values.slice(0, -1);
      columns.groupIntervalStart[5]--;
      return {
        intervalLo: cut(columns.intervalLo),
        intervalHi: cut(columns.intervalHi),
        intervalMaxHi: cut(columns.intervalMaxHi),
        intervalSpan: cut(columns.intervalSpan),
        intervalAdvisory: cut(columns.intervalAdvisory),
      };
    },
    10,
  );
});

test('a product must have a group, but for one of which every version is affected', () => {
  const bounded: Change = (columns) => {
    columns.spanTo[firstSpan(columns, 2)] = columns.versionSchemeStart[3];
    return undefined;
  };
  assertRefused('bad-index', 'productGroupStart', bounded, 1);
  assert.match(refusalOf(bounded).message, /expected a group, for versions not affected, got none/);
});

test('groups must have intervals of spans of their own advisories', () => {
  assertRefused('bad-index', 'intervalSpan', set('intervalSpan', 0, 0), 0);
  assertRefused(
    'bad-index',
    'intervalAdvisory',
    (columns) => {
      columns.intervalAdvisory[0] = 0;
      columns.intervalSpan[0] = firstSpan(columns, 0);
      return undefined;
    },
    0,
  );
  // 103 is of the same product, under another scheme.
  assertRefused(
    'bad-index',
    'intervalAdvisory',
    (columns) => {
      columns.intervalAdvisory[0] = 3;
      columns.intervalSpan[0] = firstSpan(columns, 3);
      return undefined;
    },
    0,
  );
});

test('groups must have the tree of greatest ends that their intervals give', () => {
  for (const value of [0, 99]) {
    assertRefused('bad-index', 'intervalMaxHi', set('intervalMaxHi', 1, value), 1);
  }
});

test('the order by insertion must ascend and stay within the platform', () => {
  assertRefused('unsorted', 'createdOrder', swap('createdOrder', 0, 1), 1);
  assertRefused(
    'unsorted',
    'createdOrder',
    (columns) => {
      columns.createdOrder[1] = columns.createdOrder[0];
      return undefined;
    },
    1,
  );
  assertRefused('bad-index', 'createdOrder', set('createdOrder', 0, 6), 0);
  assertRefused('bad-index', 'createdOrder', set('createdOrder', 6, 0), 6);
  assertRefused('bad-index', 'createdOrder', set('createdOrder', 6, 9), 6);
});

test('the order by PSID must ascend over all advisories', () => {
  assertRefused('unsorted', 'psidOrder', swap('psidOrder', 4, 5), 5);
  assertRefused('bad-index', 'psidOrder', set('psidOrder', 4, ADVISORIES), 4);
});

test('the order by PSID must have no PSID twice and none below 0 or beyond 48 bits', () => {
  assertRefused('bad-index', 'advisoryPsid', ({ psidOrder, advisoryPsid }) => {
    const [a, b] = psidOrder;
    advisoryPsid[a] = advisoryPsid[b];
    psidOrder.set([Math.min(a, b), Math.max(a, b)]);
    return undefined;
  });
  for (const psid of [-1, 2 ** 48, Number.POSITIVE_INFINITY]) {
    assertRefused('bad-index', 'advisoryPsid', ({ psidOrder, advisoryPsid }) => {
      advisoryPsid[psidOrder[psid < 0 ? 0 : ADVISORIES - 1]] = psid;
      return undefined;
    });
  }
});

test('the order by PSID must have only numbers', () => {
  for (let ordinal = 0; ordinal < ADVISORIES; ordinal++) {
    assert.match(refusalOf(set('advisoryPsid', ordinal, Number.NaN)).section, /advisoryPsid|psidOrder/);
  }
});

test('the order of aliases must ascend, and each must name its advisories in ascending order', () => {
  assertRefused('unsorted', 'aliasText', set('aliasText', 0, 0x7a), 1);
  assertRefused('unsorted', 'sharedAliasAdvisory', (columns) => {
    columns.sharedAliasAdvisory.subarray(0, 2).reverse();
    return undefined;
  });
});

test('aliases must name an advisory, or the next row of those that several have', () => {
  const { aliasAdvisory } = copyColumns(sound);
  const shared = aliasAdvisory.findIndex((holder) => holder >= FIRST_SHARED);
  const alone = aliasAdvisory.findIndex((holder) => holder < FIRST_SHARED);
  assertRefused('bad-index', 'aliasAdvisory', set('aliasAdvisory', alone, ADVISORIES), alone);
  assertRefused('bad-index', 'aliasAdvisory', set('aliasAdvisory', shared, FIRST_SHARED + 1), shared);
  assertRefused('bad-index', 'sharedAliasStart', set('aliasAdvisory', shared, 0), 0);
  assert.equal(alone, shared - 1);
  assertRefused(
    'bad-index',
    'sharedAliasStart',
    ({ aliasAdvisory: holders, sharedAliasStart, sharedAliasAdvisory }) => ({
      aliasAdvisory: holders.with(alone, FIRST_SHARED).with(shared, FIRST_SHARED + 1),
      sharedAliasStart: Uint32Array.of(0, ...sharedAliasStart.map((start) => start + 1)),
      sharedAliasAdvisory: Uint32Array.of(0, ...sharedAliasAdvisory),
    }),
    0,
  );
});

// Bodies and EPSS ratings of 101 and 201, which are ordinals 5 and 8.
test('facts that only some advisories have must be about ascending ordinals that exist', () => {
  for (const column of ['bodyAdvisory', 'epssAdvisory', 'kevAdvisory'] as const) {
    assert.deepEqual([...copyColumns(sound)[column]], [5, 8]);
    assertRefused('unsorted', column, set(column, 0, 8), 1);
    assertRefused('bad-index', column, set(column, 1, ADVISORIES), 1);
  }
});

test('an advisory must have a flag for a body if and only if there is one', () => {
  const flag = (ordinal: number, mask: number): Change => {
    return ({ advisoryFlags }) => {
      advisoryFlags[ordinal] ^= mask;
      return undefined;
    };
  };
  assertRefused('bad-index', 'advisoryFlags', flag(5, 8), 5);
  assertRefused('bad-index', 'advisoryFlags', flag(0, 8), 0);
  assertRefused('bad-index', 'advisoryFlags', flag(10, 8), 10);
  assertRefused('bad-index', 'advisoryFlags', flag(0, 0x30), 0); // kind 3
  assertRefused('bad-index', 'advisoryFlags', flag(0, 0x80), 0);
});

test('facts that only some advisories have must have values in their range', () => {
  assertRefused('bad-index', 'epssScore', set('epssScore', 1, 1_000_000_001), 1);
  assertRefused('bad-index', 'epssPercentile', set('epssPercentile', 0, 1_000_000_001), 0);
  assertRefused('bad-index', 'kevDate', set('kevDate', 0, 2_932_897), 0);
});
