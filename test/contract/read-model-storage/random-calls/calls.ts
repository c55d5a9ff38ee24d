import * as fc from 'fast-check';

/** Which of some entities, generations or processes: there may be fewer than the number. */
const which = (count: number) => fc.nat({ max: count - 1 });

const chance = (yes: number, no: number) =>
  fc.oneof({ weight: yes, arbitrary: fc.constant(true) }, { weight: no, arbitrary: fc.constant(false) });

const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const seldom = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: 1, arbitrary }, { weight: 4, arbitrary: fc.constant(undefined) });

/** Mostly the first: two that take everything from each other write little. */
const aProcess = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });

const entity = fc.record({
  which: which(4),
  revision: which(4),
  state: fc.constantFrom('Active', 'Active', 'Active', 'NotCreated', 'Deleted'),
  name: fc.constantFrom('Acme', 'Acme', 'Grüße "x"', 'back\\slash', '', 'NUL \0'),
  ein: fc.constantFrom(null, '12-3', ' '),
  owners: fc.array(fc.constantFrom('alice', '"q", {x}', '', 'NULL'), { maxLength: 2 }),
  isParked: chance(1, 4),
  isSigned: chance(3, 1),
});

const parking = fc.record({
  // the last of them has no UUID for its id
  which: which(5),
  revision: which(4),
  waiting: fc.integer({ min: 1, max: 3 }),
  reason: fc.constantFrom('one', 'NUL \0'),
});

const each = <A extends { readonly which: number }>(arbitrary: fc.Arbitrary<A>) =>
  fc.uniqueArray(arbitrary, { selector: (one) => one.which, maxLength: 3 });

const batch = fc.record({
  entities: each(entity),
  parkings: each(parking),
  rows: fc.nat({ max: 2 }),
  isGapped: chance(1, 9),
});

const writer = { generation: which(4), process: aProcess };

const step = fc.record({
  from: fc.constantFrom('now', 'now', 'now', 'now', 'now', 'start', 'elsewhere'),
  by: which(3),
  hasLast: chance(1, 1),
  mustBeLive: chance(1, 4),
});

const written = fc.record({ ...writer, step, batch });

const change = fc.record({
  process: aProcess,
  lease: seldom(which(4)),
  acquire: seldom(fc.array(which(4), { minLength: 1, maxLength: 2 })),
  write: seldom(written),
  makeLive: maybe(which(4)),
  handOver: seldom(fc.record({ lease: which(4), to: which(4) })),
  drop: seldom(which(4)),
  create: seldom(
    fc.record({ isRebuild: chance(1, 1), skips: which(3), isHeld: chance(1, 1), log: fc.constantFrom('a', 'b') }),
  ),
  evidence: seldom(which(4)),
});

const only = <Tag extends string, Fields extends object>(_tag: Tag, fields: fc.Arbitrary<Fields>) =>
  fc.record({ _tag: fc.constant(_tag), fields });

const call = fc.oneof(
  { weight: 3, arbitrary: only('Create', fc.record({ process: aProcess, isRebuild: chance(1, 1) })) },
  { weight: 4, arbitrary: only('Acquire', fc.record({ ...writer, takesOver: chance(1, 3) })) },
  { weight: 1, arbitrary: only('Release', fc.record(writer)) },
  { weight: 1, arbitrary: only('TimePasses', fc.record({})) },
  { weight: 2, arbitrary: only('Step', fc.record({ ...writer, step })) },
  { weight: 8, arbitrary: only('Write', fc.record({ ...writer, step, batch, isStale: chance(1, 4) })) },
  { weight: 5, arbitrary: only('WriteWithParking', written) },
  {
    weight: 4,
    arbitrary: only('Rewrite', fc.record({ ...writer, step, entity: maybe(entity), parking: maybe(parking) })),
  },
  { weight: 1, arbitrary: only('WhyRejected', fc.record({ ...writer, entity })) },
  { weight: 5, arbitrary: only('Change', change) },
  { weight: 3, arbitrary: only('Compare', fc.record({ ...writer, write: maybe(fc.record({ step, batch })) })) },
  { weight: 1, arbitrary: only('NoteAcknowledged', fc.record({ position: which(9) })) },
);

export const calls = fc.array(call, { maxLength: 50, size: 'max' });

type TypeOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer A> ? A : never;

export type Call = TypeOf<typeof call>;
export type DrawnEntity = TypeOf<typeof entity>;
export type DrawnParking = TypeOf<typeof parking>;
export type DrawnBatch = TypeOf<typeof batch>;
export type DrawnStep = TypeOf<typeof step>;
export type DrawnChange = TypeOf<typeof change>;
