import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { DETAIL_BLOCK_ADVISORIES, type IndexColumns, NONE } from '../../../src/index/columns.ts';
import { OpenRecords } from '../../../src/index/items/detail-record.ts';
import { layMaxHi } from '../../../src/index/lookup/interval-index.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { firstSpan } from '../../../src/index/span-list.ts';
import type { SnapshotErrorCode, SnapshotFault } from '../../../src/loader/errors.ts';
import { loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { readSnapshot } from '../../../src/loader/snapshot/reader.ts';
import { SnapshotRecords } from '../../../src/loader/snapshot/records.ts';
import { verifyDeep, verifySnapshot } from '../../../src/loader/snapshot/verify-deep.ts';
import { verifyIntervals } from '../../../src/loader/snapshot/verify-intervals.ts';
import { assertLinear, counted } from '../../support/counted.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { compileGeneration, coreAdvisory, coreSpan } from '../../support/snapshots/generation.ts';
import {
  compileRecords,
  copyColumns,
  type Forgery,
  forged,
  packed,
  readBytes,
  sampleRecords,
  writeBytes,
} from '../../support/snapshots/snapshots.ts';

// Rows of the sample as verify.test.ts lists them.
const folder = temporaryFolder({ after });
let path: string;
let sound: Uint8Array;

before(async () => {
  path = await compileRecords(folder, sampleRecords());
  sound = readBytes(path);
});

type Change = NonNullable<Forgery['columns']>;

/** A file that a server would load, but a deep check refuses. */
function assertRefusedDeep(
  code: SnapshotErrorCode,
  section: SnapshotFault['section'],
  forgery: Forgery,
  message = /./,
): void {
  const file = writeBytes(folder, 'forged.vdx', forged(sound, forgery));
  loadSnapshot(file);
  assert.throws(() => verifySnapshot(file), { name: 'SnapshotError', code, section, message });
}

/** The columns changed in place, with the interval tree rebuilt. */
function relaid(change: Change): Change {
  return (columns) => {
    const changed = { ...columns, ...change(columns) };
    const { intervalHi, groupIntervalStart, groupScheme } = changed;
    const intervalMaxHi = new Uint32Array(intervalHi.length);
    groupScheme.forEach((_, group) => {
      layMaxHi(intervalHi, intervalMaxHi, groupIntervalStart[group], groupIntervalStart[group + 1]);
    });
    return { ...changed, intervalMaxHi };
  };
}

test('sound files are accepted, including the smallest and one of mixed schemes', async () => {
  assert.equal(verifySnapshot(path).generation.advisoryCount, sampleRecords().length);
  const [first] = sampleRecords();
  const small = await compileRecords(folder, [first], { name: 'small.vdx' });
  assert.equal(verifySnapshot(small).generation.advisoryCount, 1);
  const withdrawn = sampleRecords().filter((record) => record.withdrawn_at !== undefined);
  const bare = await compileRecords(folder, withdrawn, { name: 'bare.vdx' });
  assert.equal(verifySnapshot(bare).generation.advisoryCount, 2);
  verifyDeep(readSnapshot(bare));
});

test('a slug that no name is looked up as is refused', () => {
  const productSlug = ({
    productSlug: slugs,
    productSlugStart: starts,
    productType,
  }: IndexColumns): Uint8Array => {
    const plugin = productType.indexOf(PRODUCT_TYPES.indexOf('plugin'));
    const changed = slugs.slice();
    changed[starts[plugin]] -= 32; // its first letter in upper case
    return changed;
  };
  assertRefusedDeep(
    'bad-index',
    'index.productSlug',
    { columns: (columns) => ({ productSlug: productSlug(columns) }) },
    /"[a-z][^"]*".*"[A-Z]/,
  );
});

test('an id in two runs is refused', () => {
  assertRefusedDeep('bad-index', 'index.advisoryId', {
    columns: ({ advisoryId }) => void advisoryId.set([106], 10),
  });
});

test('empty spans are refused', () => {
  assertRefusedDeep('bad-index', 'index.spanTo', {
    columns: (columns) => {
      const first = firstSpan(columns, 8);
      columns.spanTo[first] = columns.spanFrom[first];
      return undefined;
    },
  });
});

test('spans that do not ascend are refused', () => {
  assertRefusedDeep('unsorted', 'index.spanFrom', {
    columns: (columns) => {
      const first = firstSpan(columns, 4); // 102 has two
      for (const name of ['spanFrom', 'spanTo', 'spanToBound', 'spanFixedIn'] as const) {
        columns[name].subarray(first, first + 2).reverse();
      }
      return undefined;
    },
  });
});

test('groups with an interval too wide or too narrow are refused', () => {
  const changes: readonly (readonly [number, 'intervalLo' | 'intervalHi', number])[] = [
    [3, 'intervalLo', 1], // @scope/right: up to 1.4.0, of bounds 1.4.0
    [3, 'intervalHi', 0],
    [3, 'intervalHi', 2],
    [4, 'intervalHi', 3], // left: from 1.0.0 to below 2.0.0, of bounds 1.0.0, 1.5.0, 2.0.0
    [4, 'intervalHi', 5],
    [4, 'intervalLo', 0],
  ];
  for (const [group, name, value] of changes) {
    const columns = relaid((changed) => {
      changed[name][changed.groupIntervalStart[group]] = value;
      return undefined;
    });
    assertRefusedDeep('bad-index', `index.${name}`, { columns }, /as span \d+ has it/);
  }
});

test('groups with a bound of no span, or without the bound of a span, are refused', () => {
  const replaced = relaid(({ boundVersion, groupBoundStart }) => {
    boundVersion[groupBoundStart[3]] = boundVersion[groupBoundStart[4]]; // 1.4.0 to 1.0.0
    return undefined;
  });
  assertRefusedDeep('bad-index', 'index.boundVersion', { columns: replaced });
  const missing = relaid(({ boundVersion, groupBoundStart, intervalLo, intervalHi, groupIntervalStart }) => {
    groupBoundStart[5]--;
    intervalLo.fill(0, groupIntervalStart[4]);
    intervalHi.set([4, 3], groupIntervalStart[4]);
    return { boundVersion: boundVersion.slice(0, -1) };
  });
  assertRefusedDeep('bad-index', 'index.boundVersion', { columns: missing }, /expected 3 bounds, got 2/);
});

test('the work grows with the spans of a group, not with their square', (t) => {
  const own = temporaryFolder(t);
  assertLinear('intervals', (count) => {
    const advisories = [1, 2].map((id) => {
      const spans = Array.from({ length: count / 2 }, (_, i) =>
        coreSpan(`${i}.${id}.1`, `${i}.${id}.5`, 'exclusive', `${i}.${id}.5`),
      );
      return coreAdvisory(id, { spans });
    });
    const { columns } = compileGeneration(own, advisories).parts;
    let reads = 0;
    const onReads = (more: number): void => {
      reads += more;
    };
    const names = [
      'versionKey',
      'spanFrom',
      'spanTo',
      'spanFixedIn',
      'intervalSpan',
      'boundVersion',
    ] as const;
    const countedColumns = names.map((name) => [name, counted(columns[name], onReads)]);
    verifyIntervals({ ...columns, ...Object.fromEntries(countedColumns) });
    return reads;
  });
});

/** The columns with a group more, without bounds or intervals, as number `group` and of this scheme. */
function withGroup(product: number, group: number, scheme: number): Change {
  return ({ productGroupStart, groupScheme, ...columns }) => {
    const inserted = (starts: Uint32Array): Uint32Array =>
      Uint32Array.of(...starts.subarray(0, group + 1), ...starts.subarray(group));
    return {
      productGroupStart: productGroupStart.map((start, i) => (i > product ? start + 1 : start)),
      groupScheme: Uint8Array.of(...groupScheme.subarray(0, group), scheme, ...groupScheme.subarray(group)),
      groupBoundStart: inserted(columns.groupBoundStart),
      groupIntervalStart: inserted(columns.groupIntervalStart),
      groupClearStart: inserted(columns.groupClearStart),
    };
  };
}

test('groups of a scheme that no advisory of the product has are refused', () => {
  const columns = withGroup(0, 2, 2);
  assertRefusedDeep('bad-index', 'index.groupScheme', { columns }, /schemes 0, 1 of product 0.*got 0, 1, 2/);
});

test('a group of a product of which every version is affected is refused', () => {
  // The interval of 104, of every version, in a group of paper.
  const columns: Change = (sound) => {
    const changed = { ...sound, ...withGroup(1, 2, 3)(sound) };
    const at = changed.groupIntervalStart[2];
    const added = (values: Uint32Array, value: number): Uint32Array =>
      Uint32Array.of(...values.subarray(0, at), value, ...values.subarray(at));
    return {
      ...changed,
      groupIntervalStart: changed.groupIntervalStart.map((start, group) => (group > 2 ? start + 1 : start)),
      intervalLo: added(changed.intervalLo, 0),
      intervalHi: added(changed.intervalHi, 0),
      intervalMaxHi: added(changed.intervalMaxHi, 0),
      intervalSpan: added(changed.intervalSpan, firstSpan(changed, 2)),
      intervalAdvisory: added(changed.intervalAdvisory, 2),
    };
  };
  assertRefusedDeep('bad-index', 'index.productGroupStart', { columns }, /no group, since every version/);
});

test('a version to update to that an advisory of the product affects is refused', () => {
  assertRefusedDeep(
    'bad-index',
    'index.clearVersion',
    {
      columns: ({ clearVersion, groupClearStart, boundVersion, groupBoundStart }) =>
        // 4.0, the lower bound of advisory 105, is named and affected.
        void clearVersion.set([boundVersion[groupBoundStart[2]]], groupClearStart[2]),
    },
    /a version that nothing affects/,
  );
});

test('an omitted version to update to is refused', () => {
  assertRefusedDeep(
    'bad-index',
    'index.clearVersion',
    {
      columns: ({ groupClearStart, clearVersion }) => ({
        groupClearStart: groupClearStart.map((start) => Math.max(0, start - 1)),
        clearVersion: clearVersion.slice(1),
      }),
    },
    /expected 1 versions, got 0/,
  );
});

test('a fix that its own advisory affects is refused', () => {
  assertRefusedDeep(
    'bad-index',
    'index.spanFixedIn',
    {
      columns: (columns) => {
        const first = firstSpan(columns, 4); // advisory 102
        columns.spanFixedIn[first + 1] = columns.spanFrom[first];
        return undefined;
      },
    },
    /a fix outside every span of advisory 4/,
  );
});

/** The details section with some records replaced. */
function withRecords(change: (record: unknown[], ordinal: number) => unknown): Forgery {
  const { columns, packed: sections } = readSnapshot(path);
  const records = new SnapshotRecords(columns, sections);
  const open = new OpenRecords();
  const all = [...columns.advisoryId].map((_, ordinal) =>
    change([...records.detailAt(ordinal, open)], ordinal),
  );
  const blocks: Uint8Array[] = [];
  const detailBlockStart = [0];
  for (let at = 0; at < all.length; at += DETAIL_BLOCK_ADVISORIES) {
    const rows = all.slice(at, at + DETAIL_BLOCK_ADVISORIES);
    blocks.push(deflateRawSync(packed(rows)));
    detailBlockStart.push(detailBlockStart[blocks.length - 1] + blocks[blocks.length - 1].length);
  }
  return {
    details: new Uint8Array(Buffer.concat(blocks)),
    columns: () => ({ detailBlockStart: Float64Array.from(detailBlockStart) }),
  };
}

test('records repacked without changes are accepted', () => {
  verifySnapshot(
    writeBytes(
      folder,
      'again.vdx',
      forged(
        sound,
        withRecords((record) => record),
      ),
    ),
  );
});

test('records that disagree with the listed texts or with the run are refused', () => {
  const disagreeing: readonly (readonly [member: number, value: unknown, message: RegExp])[] = [
    [1, ['2020-1'], /the first CVE of advisory 105 to be "2026-105"/],
    [1, [], /the first CVE/],
    [7, 0, /the time of withdrawal of advisory 105 to be null/],
  ];
  for (const [member, value, message] of disagreeing) {
    const wrong = withRecords((record, ordinal) =>
      ordinal === 1 ? record.map((was, i) => (i === member ? value : was)) : record,
    );
    assertRefusedDeep('bad-record', 'details', wrong, message);
  }
  const standing = withRecords((record, ordinal) =>
    ordinal === 9 ? record.map((was, i) => (i === 7 ? null : was)) : record,
  );
  assertRefusedDeep('bad-record', 'details', standing, /to be a time, got null/);
});

test('terms that nothing uses are unpacked too', () => {
  const { termStart, termBytes } = copyColumns(sound);
  assertRefusedDeep('bad-record', 'index.termBytes', {
    columns: () => ({
      termStart: Uint32Array.of(...termStart, termBytes.length + 1),
      termBytes: Uint8Array.of(...termBytes, 0xa1), // a string of one byte without that byte
    }),
  });
});

test('aliases of no record, or missing from the table, are refused', () => {
  assertRefusedDeep('bad-index', 'index.aliasText', {
    columns: ({ aliasText }) => void aliasText.fill(0x5a, aliasText.length - 1),
  });
  assertRefusedDeep('bad-index', 'index.aliasStart', {
    columns: ({ aliasStart, aliasText, aliasAdvisory, advisorySourceId }) => ({
      aliasStart: aliasStart.slice(0, -1),
      aliasText: aliasText.slice(0, aliasStart[aliasStart.length - 2]),
      aliasAdvisory: aliasAdvisory.slice(0, -1), // of one advisory
      // Some advisory has the last alias as its source id.
      advisorySourceId: advisorySourceId.map((alias) => (alias === aliasStart.length - 2 ? NONE : alias)),
    }),
  });
});

test('aliases that point to another advisory are refused', () => {
  assertRefusedDeep('bad-index', 'index.aliasAdvisory', {
    columns: ({ aliasAdvisory }) => void aliasAdvisory.set([10], aliasAdvisory.length - 1),
  });
});

test('a source id that is spelled apart and points to another alias, or to none, is refused', () => {
  const { spelledAdvisory, advisorySourceId } = copyColumns(sound);
  const [ordinal] = spelledAdvisory;
  for (const row of [advisorySourceId[ordinal] === 0 ? 1 : 0, NONE]) {
    assertRefusedDeep('bad-index', 'index.advisorySourceId', {
      columns: () => ({ advisorySourceId: advisorySourceId.with(ordinal, row) }),
    });
  }
});
