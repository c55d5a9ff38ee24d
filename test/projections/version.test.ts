import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { businesses } from '../../projections/businesses.js';
import { documents } from '../../projections/documents.js';
import { foldBatch, groupByStream } from '../../projections/engine/rows/fold-batch.js';
import { rowOf } from '../../projections/engine/rows/rows.js';
import { createIndexes, createTable } from '../../projections/engine/postgres/schema/table.js';
import { createLedgerIndexes, createLedgerTable } from '../../projections/engine/postgres/schema/ledger-table.js';
import { EMPTY, makeNumberRows } from '../../projections/engine/ledger/number-rows.js';
import { ledgerOf, registry } from '../../src/entities/registry.js';
import type { Projection, ProjectionOf } from '../../projections/projection.js';
import { versionOf } from '../../projections/version.js';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import { frozenHistories } from '../support/fixtures.js';
import { stored } from '../support/recorded.js';

/**
 * What each version of a projection has ever stood for: the digest of its table and of the rows that the frozen
 * histories make. A line is added and never edited, because tables in the field hold those rows; but who adds to the
 * frozen histories, and changes nothing else, puts in the newest lines what the same program makes of them.
 */
const standsFor: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  businesses: {
    '010e91a2e942': '8e03825d52998511be14319fc4d9dd8a',
    f6f516836165: 'f0760525021ae93baad29d49fa3e875a',
    ec326718defb: 'dad8549bfebfec972fb1359388049909',
    '723ad22e60d8': 'dad8549bfebfec972fb1359388049909',
    '58969a80b21b': 'dad8549bfebfec972fb1359388049909',
    '02351db45cec': 'cb680b253bc50b3be8a140f04fe3d345',
    '1c8f38bd2e0f': 'fff50e32a91039044fba06f035b29636',
  },
  documents: {
    '40e062d20708': '044941a80d279a7ba7e27af174bf6da5',
    '02a03b9f14be': 'e3f8a1407a6a542ba7851840944e8b2f',
    a4f07980939f: '492a6d9b3601c4ddbd87687114401279',
    e8d7759d0af8: 'f678a66399f4c39735d04078753dff90',
    '368a27061c09': 'f678a66399f4c39735d04078753dff90',
    e0f2f25a4ce3: 'f678a66399f4c39735d04078753dff90',
    '2f4a18bb2c2a': 'eaa14fd678712fa1038eb75c5f446e2e',
    a9276ad403da: 'd831264508d653fa5bae99fe50dd7eff',
  },
  ledger: {
    a0739bde0aa7: '500027c8551a65543debf9c855b7441c',
    '599fa8062e71': '6e73c9e53109267d610dec2db5ae1679',
    '956da712bd03': '6e73c9e53109267d610dec2db5ae1679',
    '9165eebf165d': 'ae5a7f4e705658a2ce9e08c361277d04',
    '7242cdc824b4': 'ae5a7f4e705658a2ce9e08c361277d04',
    '770c747e013c': 'a2186ba12e78b90f64757ddc3eabce77',
    '7c5e44cf0b0e': '621ebbe9bdcf38473b0ce1a1033ad4b8',
  },
};

const idOf = (history: number): string => `0198f000-0000-7000-8000-${history.toString().padStart(12, '0')}`;

/** The events of all histories, one history after the other, as one log. */
const logOf = ({
  name,
  category,
}: Pick<Projection, 'name' | 'category'>): ReadonlyArray<ReadonlyArray<StoredEvent>> => {
  let position = 0n;
  return Object.values(frozenHistories(name)).map((history, number) =>
    history.map(({ type, data, ...recording }, revision) => {
      const stream: StreamName = `${category}-${idOf(number)}`;
      // reason: a fixture is JSON
      const fact = { type, data: data as Json };
      return { ...stored(fact, { stream, revision: BigInt(revision), ...recording }), position: ++position };
    }),
  );
};

/** The rows after each event of each history. */
const rowsOf = (projection: Projection) =>
  logOf(projection).flatMap((history) =>
    history.flatMap((_, last) =>
      foldBatch(projection, () => undefined, groupByStream(history.slice(0, last + 1))).entities.map((entity) =>
        rowOf(projection, entity),
      ),
    ),
  );

const tableOf = <State, Event extends DomainEvent>({ keys }: ProjectionOf<State, Event>): string =>
  [createTable('t', keys), ...createIndexes('t', 't', keys)].join('\n').replaceAll(/\s+/g, ' ');

const digestOf = <State, Event extends DomainEvent>(projection: ProjectionOf<State, Event>): string =>
  createHash('sha256')
    .update(JSON.stringify([tableOf(projection), rowsOf(projection)]))
    .digest('hex')
    .slice(0, 32);

const staysTrueToItsVersion = <State, Event extends DomainEvent>(projection: ProjectionOf<State, Event>): void => {
  const { name, revision } = projection;
  const [version, digest] = [versionOf(projection), digestOf(projection)];
  const line = `'${version}': '${digest}',`;
  const known = standsFor[name]?.[version];
  if (known === undefined)
    expect.fail(`${name} has a new version: add to \`standsFor.${name}\` in this test the line ${line}`);
  if (known !== digest)
    expect.fail(
      `${name} makes other rows than its version ${version} stands for; tables in the field would mix both. Undo what ` +
        `changed them, or raise \`revision\` in projections/${name}.ts to ${revision + 1} (or LAYOUT in ` +
        'projections/version.ts, for the table of every read model), run this test again, and add the line that it ' +
        `then asks for. Only where nothing but the frozen histories was changed the line becomes ${line}`,
    );
};

const coversAll = <State, Event extends DomainEvent>(projection: ProjectionOf<State, Event>): void => {
  const types = new Set(
    Object.values(frozenHistories(projection.name)).flatMap((history) => history.map(({ type }) => type)),
  );
  expect([...types]).to.include.members([...projection.eventTypes]);
  const rows = rowsOf(projection);
  // reason: a body is the JSON object that GET answers
  const bodies = rows.flatMap(({ body }) =>
    typeof body !== 'string' ? [] : [JSON.parse(body) as Record<string, unknown>],
  );
  const shown = new Set(bodies.flatMap((body) => Object.keys(body).filter((key) => body[key] !== null)));
  expect([...shown]).to.have.members(Object.keys(bodies[0]!), 'members of the body that have a value somewhere');
  const filled = new Set(rows.flatMap((row) => Object.keys(row).filter((column) => row[column] !== null)));
  expect([...filled]).to.have.members(Object.keys(rows[0]!), 'columns that have a value somewhere');
};

/** What the ledger holds of the frozen histories, without what is another in each run. */
const ledgerDigest = (): string => {
  const events = [businesses, documents].flatMap((projection) => logOf(projection).flat());
  const { rows } = makeNumberRows(ledgerOf(registry))(EMPTY, events);
  const shown = rows.map(({ hash, leaf, body, ...row }) => {
    // reason: a body is the JSON object that the history shows
    const { _id, hash: shownHash, ...event } = JSON.parse(body) as Record<string, unknown>;
    expect([shownHash, typeof _id, leaf.toString('hex')]).to.deep.equal([hash, 'string', hash]);
    const members = { ...row, index: row.index.toString(), revision: row.revision.toString(), event };
    // in the order of their names: a row has no other
    return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
  const table = [createLedgerTable('t'), ...createLedgerIndexes('t', 't')].join('\n').replaceAll(/\s+/g, ' ');
  return createHash('sha256')
    .update(JSON.stringify([table, shown]))
    .digest('hex')
    .slice(0, 32);
};

describe('the version of a projection', () => {
  it('stands for one way to make rows of the ledger', () => {
    const [version, digest] = [versionOf(ledgerOf(registry)), ledgerDigest()];
    const known = standsFor['ledger']?.[version];
    expect(
      known,
      `raise RENDERING or RECORDS in src/read, or EVENT_LAYOUT in projections/version.ts, unless that was done; then add to \`standsFor.ledger\` the line '${version}': '${digest}',`,
    ).to.equal(digest);
  });

  it('stands for one way to make rows of businesses', () => staysTrueToItsVersion(businesses));

  it('stands for one way to make rows of documents', () => staysTrueToItsVersion(documents));

  it('is tested with every type of event, field and column of businesses', () => coversAll(businesses));

  it('is tested with every type of event, field and column of documents', () => coversAll(documents));

  it('changes with its revision, its columns and the schema of its events', () => {
    const { serde, keys, revision } = businesses;
    const versions = [
      businesses,
      { ...businesses, revision: revision + 1 },
      { ...businesses, keys: keys.slice(1) },
      { ...businesses, serde: { ...serde, schemaVersionOf: () => 2 } },
    ].map(versionOf);
    expect(new Set(versions).size).to.equal(4);
  });
});
