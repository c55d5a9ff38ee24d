import type { Json } from '../event-sourcing/canonical-json.js';

/** A command that takes back what was done. `request` is what makes two requests the same one. */
export type Undo<Command> = { readonly command: Command; readonly request: Json };

/** Which fields get back what they had at a revision. Default: all. */
export type Wanted<Field> = { readonly revision: number; readonly fields?: ReadonlyArray<Field> | undefined };
