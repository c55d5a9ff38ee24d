import { GENESIS_HASH } from '../envelope.js';
import { KeyedCommands } from './keyed-commands.js';
import type { ExpectedRevision, Position } from '../recorded-event.js';

/** A stream folded up to `revision`, with what the next append needs. */
export type Folded<State> = {
  readonly state: State;
  readonly revision: ExpectedRevision;
  readonly position: Position | undefined;
  /** Of the first event, where it is known. */
  readonly creationPosition: Position | undefined;
  readonly lastHash: string;
  /** Times of the first and of the last event; empty before the first. */
  readonly createdAt: string;
  readonly lastAt: string;
  /** One object for all folds of the stream in this process; commands are only ever added to it. */
  readonly keyed: KeyedCommands;
};

export const unfolded = <State>(initialState: State): Folded<State> => ({
  state: initialState,
  revision: 'no-stream',
  position: undefined,
  creationPosition: undefined,
  lastHash: GENESIS_HASH,
  createdAt: '',
  lastAt: '',
  keyed: new KeyedCommands(),
});
