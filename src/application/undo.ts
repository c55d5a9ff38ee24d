import type { Json } from '../event-sourcing/canonical-json.js';

/** A command that takes back what was done. `request` is what makes two requests the same one. */
export type Undo<Command> = { readonly command: Command; readonly request: Json };

/** Which fields get back what they had at a revision. Default: all. */
export type Wanted<Field> = { readonly revision: number; readonly fields?: ReadonlyArray<Field> | undefined };

/** As the client says it: a repeat stays one when a later version has more fields, or names them in another order. */
export const requestOfRevert = (_tag: string, { revision, fields }: Wanted<string>): Json =>
  fields === undefined ? { _tag, revision } : { _tag, revision, fields: [...fields].sort() };
