import { isDeepStrictEqual } from 'node:util';
import type { SeenEvent, State } from './states.js';

/** A restore, or a revert `to` a revision: of all but owners, or of some `fields`. */
export type Undo = { readonly to?: number; readonly fields?: ReadonlyArray<string> };

/** As a history shows it with what it changed, and as a preview foresees it. */
type Change = { readonly path: string; readonly before: unknown; readonly after: unknown };

export type DiffedEvent = SeenEvent & { readonly diff: ReadonlyArray<Change> };

/** What a service says that an undo would do. */
export type Preview = {
  readonly revision: number | null;
  readonly current: number;
  readonly changes: ReadonlyArray<Change>;
  readonly notReverted: ReadonlyArray<Change>;
};

/** By the name of a field: what of a state is as it was then when that field is reverted. */
const MEMBERS: Readonly<Record<string, ReadonlyArray<keyof State>>> = {
  name: ['name'],
  phone: ['note'],
  description: ['note'],
  file: ['sha256', 'uploadedAt'],
};

const ALL = Object.keys(MEMBERS);

/** The state in which an undo leaves a record that has another one; `states`: all that it had. */
const undoneBy = ({ to, fields = ALL }: Undo, state: State, states: ReadonlyArray<State>): State => {
  if (to === undefined) return { ...state, isThere: true };
  const then = states[to + 1] ?? state;
  const back = fields.flatMap((field) => (MEMBERS[field] ?? []).map((member) => [member, then[member]] as const));
  return { ...state, ...Object.fromEntries(back) };
};

/** What clients look at, by where it stands in the record; nothing of one that is not there. */
const lookedAt = ({ isThere, name, note, sha256, uploadedAt, owners }: State): Readonly<Record<string, unknown>> =>
  isThere
    ? {
        '/name': name,
        '/note': note,
        '/sha256': sha256 ?? null,
        '/uploadedAt': uploadedAt,
        ...Object.fromEntries(Object.entries(owners).map(([user, title]) => [`/owners/${user}`, title])),
      }
    : {};

const isSame = (one: State, other: State): boolean => isDeepStrictEqual(lookedAt(one), lookedAt(other));

/** Whether a record shows that an undo was done by the event of its state. One that would have changed nothing has no event. */
export const isDoneBy =
  (undo: Undo) =>
  (state: State, states: ReadonlyArray<State>): boolean => {
    const before = states[state.revision];
    const then = undo.to === undefined ? before : states[undo.to + 1];
    if (before === undefined || then === undefined || isSame(before, state)) return false;
    return (undo.to === undefined || (before.isThere && then.isThere)) && isSame(undoneBy(undo, before, states), state);
  };

/** Whether an undo has nothing to change of a record. */
export const isAlready =
  (undo: Undo) =>
  (state: State, states: ReadonlyArray<State>): boolean =>
    state.isThere && isSame(undoneBy(undo, state, states), state);

const noteOr = (path: string): string => (path === '/phone' || path === '/description' ? '/note' : path);

const valueOf = (path: string, value: unknown): unknown =>
  // reason: what has such a path is an owner
  path.startsWith('/owners/') ? ((value as { readonly title: string } | null)?.title ?? null) : value;

/** What changes say of what clients look at: before and after, by path. */
const lookedAtIn = (changes: ReadonlyArray<Change>, paths: ReadonlyArray<string>) => {
  const found = changes.map(({ path, before, after }) => {
    const known = noteOr(path);
    return [known, [valueOf(known, before), valueOf(known, after)]] as const;
  });
  return Object.fromEntries(found.filter(([path]) => path.startsWith('/owners/') || paths.includes(path)));
};

/** Whether a preview foresees what the undo would do to a record that has this state. */
export const foresees =
  (undo: Undo, { revision, current, changes, notReverted }: Preview) =>
  (state: State, states: ReadonlyArray<State>): boolean => {
    const [before, after] = [lookedAt(state), lookedAt(undoneBy(undo, state, states))];
    const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const due = paths
      .map((path) => [path, [before[path] ?? null, after[path] ?? null]] as const)
      .filter(([, [was, becomes]]) => was !== becomes);
    const isEachForeseen = isDeepStrictEqual(lookedAtIn(changes, paths), Object.fromEntries(due));
    const owners = undo.to === undefined || undo.fields !== undefined ? undefined : states[undo.to + 1]?.owners;
    const isSaidOfOwners =
      owners === undefined ||
      isDeepStrictEqual(owners, state.owners) ||
      notReverted.some(({ path }) => path === '/owners');
    return state.revision === current && revision === (undo.to ?? null) && isEachForeseen && isSaidOfOwners;
  };
