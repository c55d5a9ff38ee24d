import { covers, type ErasedEvents } from '../../../src/event-sourcing/erasure/erased-events.js';

/** An event, as histories, the ledger and feeds show it. */
export type SeenEvent = {
  readonly _id: string;
  readonly entity: string;
  readonly entityType: string;
  readonly name: string;
  /** `erased`: nothing is left of what it said. */
  readonly type?: string;
  readonly at: string;
  readonly revision: number;
  readonly hash: string;
  /** What the client gave: each command its own. */
  readonly reason?: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
};

/** An event of the ledger, which has a place there. */
export type LedgerEvent = SeenEvent & { readonly index: number };

/** Events, as they were shown in one way. */
export type Shown = {
  /** Where, for people. */
  readonly where: string;
  readonly process: object;
  readonly began: number;
  readonly ended: number;
  readonly way: 'history' | 'ledger';
  readonly events: ReadonlyArray<SeenEvent & { readonly index?: number }>;
};

/** What a record is after one of its events, as far as clients look at it. */
export type State = {
  /** Of that event; -1 before the first one. */
  readonly revision: number;
  /** When, as that event says. */
  readonly at: string;
  /** One that was deleted is not there, and has what it had. */
  readonly isThere: boolean;
  readonly name: string;
  /** The phone of a business, the description of a document. */
  readonly note: string | null;
  /** Titles by user. */
  readonly owners: Readonly<Record<string, string>>;
  /** By user: the revision of the event that added him. */
  readonly since: Readonly<Record<string, number>>;
  /** Of the file of a document. */
  readonly sha256: string | undefined;
  /** When that file was uploaded. */
  readonly uploadedAt: string | null;
};

const NOTHING: State = {
  revision: -1,
  at: '',
  isThere: false,
  name: '',
  note: null,
  owners: {},
  since: {},
  sha256: undefined,
  uploadedAt: null,
};

type Fields = { readonly name?: string; readonly phone?: string | null; readonly description?: string | null };

// reason: events of businesses and documents, in which these are what they say
type Data = Fields & {
  readonly changes: Fields;
  readonly user: string;
  readonly title: string;
  readonly to: number;
  readonly events: ErasedEvents;
  readonly file?: { readonly sha256: string } | null;
};

const changed = (before: State, { name, phone, description }: Fields): State => {
  const note = phone === undefined ? description : phone;
  return { ...before, name: name ?? before.name, note: note === undefined ? before.note : note };
};

/** With the file that an event brings. */
const uploaded = (state: State, file: Data['file']): State =>
  file === undefined || file === null ? state : { ...state, sha256: file.sha256, uploadedAt: state.at };

/** Those of the fields, and the file, that have come back are as they were then, whatever the event says that they are. */
const reverted = (state: State, { changes, file }: Data, then: State): State => ({
  ...state,
  name: changes.name === undefined ? state.name : then.name,
  note: changes.phone === undefined && changes.description === undefined ? state.note : then.note,
  ...(file === undefined ? {} : { sha256: then.sha256, uploadedAt: then.uploadedAt }),
});

/** Without what was erased. */
const erased = (state: State, events: ErasedEvents): State => {
  const { revision, at } = state;
  if (events === 'all') return { ...NOTHING, revision, at };
  const isLeft = ([user]: readonly [string, unknown]): boolean =>
    !covers(events, BigInt(revision), BigInt(state.since[user] ?? revision));
  return {
    ...state,
    owners: Object.fromEntries(Object.entries(state.owners).filter(isLeft)),
    since: Object.fromEntries(Object.entries(state.since).filter(isLeft)),
  };
};

/** `states`: those that it had before. */
const after = (states: ReadonlyArray<State>, { name: event, revision, at, data }: SeenEvent): State => {
  const said = data as Data; // reason: see there
  const { user, title, file, changes, to, events } = said;
  const before = states.at(-1) ?? NOTHING;
  const { [user]: _, ...others } = before.owners;
  const { [user]: added, ...sinceOthers } = before.since;
  const state = { ...before, revision, at };
  switch (event) {
    case 'BusinessCreated':
    case 'DocumentCreated':
      return uploaded(changed({ ...state, isThere: true }, said), file);
    case 'BusinessUpdated':
    case 'DocumentUpdated':
      return uploaded(changed(state, changes), file);
    case 'BusinessOwnerAdded':
      return { ...state, owners: { ...others, [user]: title }, since: { ...sinceOthers, [user]: revision } };
    case 'BusinessOwnerUpdated':
      // what added him may be erased
      return added === undefined ? state : { ...state, owners: { ...others, [user]: title } };
    case 'BusinessOwnerRemoved':
      return { ...state, owners: others, since: sinceOthers };
    case 'BusinessErased':
    case 'DocumentErased':
      return erased(state, events);
    case 'BusinessDeleted':
    case 'DocumentDeleted':
      return { ...state, isThere: false };
    case 'BusinessRestored':
    case 'DocumentRestored':
      return { ...state, isThere: true };
    case 'BusinessReverted':
    case 'DocumentReverted':
      return reverted(state, said, states[to + 1] ?? NOTHING);
    default:
      throw new Error(`nobody does ${event}`);
  }
};

/** The states that a record had, the first one that before its first event. An event that is erased changes nothing. */
export const statesOf = (
  events: ReadonlyArray<SeenEvent>,
  isErased: (event: SeenEvent) => boolean = ({ type }) => type === 'erased',
): ReadonlyArray<State> => {
  const states = [NOTHING];
  for (const event of events) {
    const { revision, at } = event;
    states.push(isErased(event) ? { ...(states.at(-1) ?? NOTHING), revision, at } : after(states, event));
  }
  return states;
};

/** The state at a time: that before the first event that is later. */
export const stateAt = (states: ReadonlyArray<State>, at: string): State | undefined => {
  const later = states.findIndex((state) => state.at > at);
  return states[(later < 0 ? states.length : later) - 1];
};
