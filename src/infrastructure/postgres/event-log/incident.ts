/** Something that the log healed or refused by itself and that an operator may want to know. Holds no event data. */
export type EventLogIncident =
  | { readonly _tag: 'ConnectionLost'; readonly of: 'writer' | 'listener' | 'reader'; readonly cause: unknown }
  | { readonly _tag: 'AppendFailed'; readonly appends: number; readonly cause: unknown }
  /** A batch held a value that the database refuses; its appends were repeated one by one. */
  | { readonly _tag: 'BatchSplit'; readonly appends: number; readonly cause: unknown }
  | { readonly _tag: 'ReadFailed'; readonly cause: unknown };

export type OnIncident = (incident: EventLogIncident) => void;
