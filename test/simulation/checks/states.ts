/** An event, as histories, the ledger and feeds show it. */
export type SeenEvent = {
  readonly _id: string;
  readonly entity: string;
  readonly entityType: string;
  readonly name: string;
  readonly at: string;
  readonly revision: number;
  readonly hash: string;
  /** What the client gave: each command its own. */
  readonly reason?: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** What a record is after one of its events, as far as clients look at it. */
export type State = {
  /** Of that event; -1 before the first one. */
  readonly revision: number;
  /** When, as that event says. */
  readonly at: string;
  readonly isThere: boolean;
  readonly name: string;
  /** Titles by user. */
  readonly owners: Readonly<Record<string, string>>;
  /** Of the file of a document. */
  readonly sha256: string | undefined;
};

const NOTHING: State = { revision: -1, at: '', isThere: false, name: '', owners: {}, sha256: undefined };

// reason: events of businesses and documents, in which these are what they say
type Data = {
  readonly name: string;
  readonly changes: { readonly name?: string };
  readonly user: string;
  readonly title: string;
  readonly file?: { readonly sha256: string } | null;
};

const after = (before: State, { name: event, revision, at, data }: SeenEvent): State => {
  const { name, changes, user, title, file } = data as Data; // reason: see there
  const { [user]: _, ...others } = before.owners;
  const state = { ...before, revision, at };
  switch (event) {
    case 'BusinessCreated':
    case 'DocumentCreated':
      return { ...state, isThere: true, name, sha256: file?.sha256 };
    case 'BusinessUpdated':
    case 'DocumentUpdated':
      return { ...state, name: changes.name ?? before.name, sha256: file?.sha256 ?? before.sha256 };
    case 'BusinessOwnerAdded':
    case 'BusinessOwnerUpdated':
      return { ...state, owners: { ...others, [user]: title } };
    case 'BusinessOwnerRemoved':
      return { ...state, owners: others };
    case 'BusinessDeleted':
      return { ...state, isThere: false };
    default:
      throw new Error(`nobody does ${event}`);
  }
};

/** The states that a record had, the first one that before its first event. */
export const statesOf = (events: ReadonlyArray<SeenEvent>): ReadonlyArray<State> => {
  const states = [NOTHING];
  for (const event of events) states.push(after(states.at(-1) ?? NOTHING, event));
  return states;
};

/** The state at a time: that before the first event that is later. */
export const stateAt = (states: ReadonlyArray<State>, at: string): State | undefined => {
  const later = states.findIndex((state) => state.at > at);
  return states[(later < 0 ? states.length : later) - 1];
};
