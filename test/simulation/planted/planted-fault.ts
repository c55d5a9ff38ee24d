import { either as E } from 'fp-ts';

/** A text that stands in one place of a file of the product, and what is to stand there. */
export type Edit = { readonly file: string; readonly is: string; readonly becomes: string };

/** A fault of the product that the simulation is to find. */
export type PlantedFault = {
  /** Says the fault. */
  readonly name: string;
  /** What comes of it, in one sentence. */
  readonly harm: string;
  /** Several where one is hidden by another guard. */
  readonly edits: ReadonlyArray<Edit>;
  /** What brings about within a short life what else takes long, such as a smaller cache. Breaks no promise by itself. */
  readonly given?: ReadonlyArray<Edit>;
  /** What the simulation runs over. Default: memory. */
  readonly store?: 'postgres';
};

/** The text after an edit. Left: its place has changed. */
export const applyEdit = (text: string, { file, is, becomes }: Edit): E.Either<string, string> => {
  const parts = text.split(is);
  const [before, after] = parts;
  if (before === undefined || after === undefined) return E.left(`${file} has no longer: ${is}`);
  if (parts.length > 2) return E.left(`${file} has ${parts.length - 1} times: ${is}`);
  return E.right(before + becomes + after);
};
