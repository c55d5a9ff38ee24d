import { randomUUID } from 'node:crypto';
import { type History, NEWCOMER, OFTEN, SELDOM } from './log.js';

type Filters = Readonly<Record<string, string>>;

/** Searches that are reported together, and the most ms that one of them may take. */
export type SearchGroup = {
  readonly name: string;
  readonly wanted: number;
  readonly searches: ReadonlyArray<{ readonly filters: Filters; readonly finds: boolean }>;
};

const [SINGLE_MS, OTHER_MS] = [50, 2_000];

/** Few events are before this one, or behind the one that is as far from the end. */
const FEW = 50;

const [BEFORE_ALL, BEHIND_ALL] = ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];

/** Of each filter values that some events have, many or few, and one that none has. */
const singles = (history: History): ReadonlyArray<SearchGroup> => {
  const { parent, rareParent, long, short, timeAt, timeBeforeEnd, events } = history;
  const values: Readonly<Record<string, { readonly had: ReadonlyArray<string>; readonly none: string }>> = {
    user: { had: [OFTEN, SELDOM, NEWCOMER], none: 'nobody' },
    entityType: { had: ['Business', 'Document'], none: 'Lead' },
    entity: { had: [long, short], none: randomUUID() },
    name: { had: ['BusinessUpdated', 'DocumentCreated', 'BusinessDeleted'], none: 'BusinessSold' },
    field: { had: ['name', 'website', 'line2'], none: 'colour' },
    ref: { had: [parent, rareParent, 'owner-0'], none: randomUUID() },
    since: { had: [timeAt(0.1), timeBeforeEnd(FEW)], none: BEHIND_ALL },
    until: { had: [timeAt(0.9), timeBeforeEnd(events - FEW)], none: BEFORE_ALL },
  };
  return [
    { name: 'no filter', wanted: SINGLE_MS, searches: [{ filters: {}, finds: true }] },
    ...Object.entries(values).map(([name, { had, none }]) => ({
      name,
      wanted: SINGLE_MS,
      searches: [
        ...had.map((value) => ({ filters: { [name]: value }, finds: true })),
        { filters: { [name]: none }, finds: false },
      ],
    })),
  ];
};

const usersSince = ({ timeAt, timeBeforeEnd }: History): SearchGroup => {
  const times = [timeAt(0.1), timeAt(0.95)];
  const finding = times.flatMap((since) =>
    [OFTEN, NEWCOMER].map((user) => ({ filters: { user, since }, finds: true })),
  );
  const nothing = [
    ...[...times, timeBeforeEnd(FEW)].map((since) => ({ user: 'nobody', since })),
    { user: OFTEN, since: BEHIND_ALL },
  ];
  const searches = [...finding, ...nothing.map((filters) => ({ filters, finds: false }))];
  return { name: 'user + since', wanted: SINGLE_MS, searches };
};

/** Values that many events have, but none has together; each of them costs the most where it is walked to the end. */
const thatNeverMeet = ({ parent, long, timeAt }: History): ReadonlyArray<Filters> => [
  { field: 'website', user: OFTEN },
  { field: 'tags', user: OFTEN },
  { entityType: 'Document', field: 'website' },
  { entityType: 'Business', field: 'tags' },
  { user: OFTEN, entityType: 'Document' },
  { name: 'BusinessUpdated', entityType: 'Document' },
  { name: 'BusinessUpdated', field: 'tags' },
  { name: 'BusinessOwnerAdded', field: 'website' },
  { user: OFTEN, name: 'DocumentUpdated' },
  { user: OFTEN, name: 'BusinessOwnerAdded' },
  { ref: parent, user: OFTEN },
  { ref: parent, name: 'BusinessOwnerAdded' },
  { ref: parent, field: 'website' },
  { ref: parent, entityType: 'Document' },
  { entity: long, user: OFTEN },
  { entity: long, field: 'tags' },
  { entity: long, name: 'DocumentUpdated' },
  { user: NEWCOMER, until: timeAt(0.5) },
  { field: 'line2', since: timeAt(0.6) },
  { name: 'BusinessDeleted', since: timeAt(0.6) },
  { since: timeAt(0.6), until: timeAt(0.5) },
  { user: OFTEN, name: 'BusinessOwnerAdded', entityType: 'Business' },
  { user: OFTEN, name: 'DocumentUpdated', entityType: 'Document' },
  { entityType: 'Business', field: 'website', user: OFTEN },
  { name: 'BusinessUpdated', field: 'website', user: OFTEN },
  { ref: parent, user: OFTEN, since: timeAt(0.1) },
  { field: 'website', user: OFTEN, until: timeAt(0.9) },
  { entityType: 'Document', field: 'website', since: timeAt(0.1) },
];

const namesOf = (filters: Filters): string => Object.keys(filters).join(' + ');

/** All searches, by the filters that they have. */
export const searchesIn = (history: History): ReadonlyArray<SearchGroup> => {
  const apart = thatNeverMeet(history);
  return [
    ...singles(history),
    usersSince(history),
    ...[...new Set(apart.map(namesOf))].map((names) => ({
      name: `${names} that never meet`,
      wanted: OTHER_MS,
      searches: apart.filter((each) => namesOf(each) === names).map((filters) => ({ filters, finds: false })),
    })),
  ];
};
