import type { Decider } from './decider.js';
import { GENESIS_HASH } from './envelope.js';
import type { ExpectedRevision, Position, Revision } from './recorded-event.js';
import type { Recorded } from './serde.js';

/** Revisions of the commands of a stream that came with an `Idempotency-Key`, complete from `since` on. */
export type KeyedCommands = { readonly since: Revision; readonly revisions: ReadonlyMap<string, Revision> };

/** A stream folded up to `revision`, with what the next append needs. */
export type Folded<State> = {
  readonly state: State;
  readonly revision: ExpectedRevision;
  readonly position: Position | undefined;
  readonly lastHash: string;
  readonly lastAt: string;
  readonly keyed: KeyedCommands;
};

export const unfolded = <State>(initialState: State): Folded<State> => ({
  state: initialState,
  revision: 'no-stream',
  position: undefined,
  lastHash: GENESIS_HASH,
  lastAt: '',
  keyed: { since: 0n, revisions: new Map() },
});

export const nextRevision = (revision: ExpectedRevision): Revision => (revision === 'no-stream' ? 0n : revision + 1n);

const MAX_KEYED = 1024;

export type KeyedGathering = {
  readonly add: (commandId: string, revision: Revision) => void;
  readonly gathered: () => KeyedCommands;
};

/** Gathers keyed commands; beyond the bound the older half is dropped and `since` says so. */
export const gatherKeyed = (known: KeyedCommands): KeyedGathering => {
  let { since } = known;
  let revisions = new Map(known.revisions);
  return {
    add: (commandId, revision) => {
      revisions.set(commandId, revision);
      if (revisions.size <= MAX_KEYED) return;
      revisions = new Map([...revisions].slice(MAX_KEYED / 2));
      since = revisions.values().next().value ?? revision;
    },
    gathered: () => ({ since, revisions }),
  };
};

/** `known` and one keyed command more. */
export const rememberKeyed = (known: KeyedCommands, commandId: string, revision: Revision): KeyedCommands => {
  const gathering = gatherKeyed(known);
  gathering.add(commandId, revision);
  return gathering.gathered();
};

export const evolveAll =
  <State, Command, Event, Refusal>({ evolve }: Decider<State, Command, Event, Refusal>) =>
  (state: State, recorded: ReadonlyArray<Pick<Recorded<Event>, 'event' | 'metadata'>>): State =>
    recorded.reduce((folded, { event, metadata }) => evolve(folded, event, metadata), state);
