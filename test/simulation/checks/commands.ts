import { type Erasure, saysErased } from './erased.js';
import type { SeenEvent, State } from './states.js';

/** A command, and what its client was told. */
export type Command = {
  /** The reason that it gave: of no other command, and of its event. */
  readonly mark: string;
  /** What it is about; undefined where it was to create one and no answer names that. */
  readonly record: string | undefined;
  readonly began: number;
  readonly ended: number;
  /** `Unknown`: no answer, or a 503, after which it may have been stored, also later. */
  readonly outcome: 'Done' | 'Refused' | 'Unknown';
  /** Of the record after it, where it was done. */
  readonly revision?: number;
  /** False: lists may not show it yet. */
  readonly isProjected?: boolean;
  /** The only revision that it was to change. */
  readonly expected?: number;
  /** Whether a record shows what it asked for; `states`: all that it had, that before its first event the first. */
  readonly isShownBy?: (state: State, states: ReadonlyArray<State>) => boolean;
};

/** A record, its events in their order, and what it was after each of them, beginning before the first one. */
export type History = {
  readonly record: string;
  readonly events: ReadonlyArray<SeenEvent>;
  readonly states: ReadonlyArray<State>;
  readonly erasures: ReadonlyArray<Erasure>;
  /** What may have been seen of its states from when to when: without what was erased, and while it is, with it or without it. */
  readonly versionsIn: (during: {
    readonly began: number;
    readonly ended: number;
  }) => ReadonlyArray<ReadonlyArray<State>>;
};

const faultsOf = (command: Command, places: ReadonlyArray<SeenEvent>, histories: ReadonlyMap<string, History>) => {
  const { mark, outcome, record, revision, expected, isShownBy } = command;
  const [place] = places;
  if (places.length > 1) return [`${mark} was written ${places.length} times`];
  if (outcome === 'Refused' && place !== undefined) return [`${mark} was refused, and written`];
  if (outcome === 'Done' && place === undefined) return [`${mark} was acknowledged, and is lost`];
  if (place === undefined) return [];
  const faults: Array<string> = [];
  if (record !== undefined && place.entity !== record) faults.push(`${mark} was written to ${place.entity}`);
  if (revision !== undefined && place.revision !== revision)
    faults.push(`${mark} was answered as revision ${revision}, and is ${place.revision}`);
  if (expected !== undefined && place.revision !== expected + 1)
    faults.push(`${mark} was to change revision ${expected} only, and is ${place.revision}`);
  const isShownIn = (states: ReadonlyArray<State>): boolean => {
    const state = states[place.revision + 1];
    return state === undefined || isShownBy?.(state, states) !== false;
  };
  if (histories.get(place.entity)?.versionsIn(command).some(isShownIn) === false)
    faults.push(`${mark} has not left what it asked for`);
  return faults;
};

/** What has been acknowledged before something else was asked for stands before it. */
const orderFaults = ({ record, events }: History, byMark: ReadonlyMap<string, Command>): ReadonlyArray<string> => {
  const faults: Array<string> = [];
  let newest: { readonly mark: string; readonly began: number } | undefined;
  for (const [place, event] of events.entries()) {
    const { revision, at, reason = '' } = event;
    if (at < (events[place - 1]?.at ?? ''))
      faults.push(`${record} has revision ${revision} at ${at}, before the one before`);
    if (revision !== place) faults.push(`${record} has revision ${revision} where ${place} is due`);
    if (saysErased(event)) continue;
    const command = byMark.get(reason);
    if (command === undefined) {
      faults.push(`${record} has an event that nobody asked for: ${reason}`);
      continue;
    }
    if (newest !== undefined && command.outcome === 'Done' && command.ended < newest.began)
      faults.push(`${command.mark} was acknowledged before ${newest.mark} began, and is behind it`);
    if (newest === undefined || command.began > newest.began) newest = command;
  }
  return faults;
};

/** Holds histories to what clients were told: each acknowledged command once and in its order, no other but those without an answer. */
export const commandFaults = (
  commands: ReadonlyArray<Command>,
  histories: ReadonlyMap<string, History>,
): ReadonlyArray<string> => {
  const byMark = new Map(commands.map((command) => [command.mark, command]));
  const places = new Map<string, Array<SeenEvent>>();
  for (const { events } of histories.values())
    for (const event of events) places.set(event.reason ?? '', [...(places.get(event.reason ?? '') ?? []), event]);
  return [
    ...commands.flatMap((command) => faultsOf(command, places.get(command.mark) ?? [], histories)),
    ...[...histories.values()].flatMap((history) => orderFaults(history, byMark)),
  ];
};
