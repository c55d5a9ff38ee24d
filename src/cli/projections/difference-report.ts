import { open } from 'node:fs/promises';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import type { Difference } from '../../../projections/engine/rebuild/difference.js';

type DifferenceReport = {
  readonly add: (difference: Difference) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The report cannot be written, for instance because its folder does not exist or the disk is full. */
export class ReportFailed extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ReportFailed';
  }
}

type Values = Readonly<Record<string, unknown>>;

/** Columns whose texts are JSON; the others hold texts, as Postgres writes them. */
const JSON_COLUMNS: ReadonlyArray<string> = ['body', 'kept'];

/** What is no JSON, because somebody has changed it by hand, stays a text. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const valuesOf = (row: TextRow): Values =>
  Object.fromEntries(
    Object.entries(row).map(([column, text]) => [
      column,
      text !== null && JSON_COLUMNS.includes(column) ? parsed(text) : text,
    ]),
  );

const BODY = 'body.';

/** The value of a field, as a difference names it: a column, or a member of the body. Null where there is none. */
const valueOf = (row: Values, field: string): unknown => {
  if (!field.startsWith(BODY)) return row[field] ?? null;
  // reason: a difference names members of the body only where both bodies are JSON objects
  const body = row['body'] as Values;
  return body[field.slice(BODY.length)] ?? null;
};

/** A difference as a line of the report has it. */
const lineOf = (difference: Difference): object => {
  const { _tag: kind, id } = difference;
  switch (difference._tag) {
    case 'OnlyLive':
      return { kind, id, live: valuesOf(difference.live) };
    case 'OnlyRebuilt':
      return { kind, id, rebuilt: valuesOf(difference.rebuilt) };
    case 'Differs': {
      const [live, rebuilt] = [valuesOf(difference.live), valuesOf(difference.rebuilt)];
      const { fields } = difference;
      const changes = fields.map((field) => ({ field, from: valueOf(live, field), to: valueOf(rebuilt, field) }));
      return { kind, id, fields, changes, live, rebuilt };
    }
  }
};

/**
 * Writes every difference into a file that only its owner may read, one JSON object a line, with the values of both
 * rows. Without a file it writes nothing. Rejects with `ReportFailed`.
 */
export const openReport = async (file: string | undefined): Promise<DifferenceReport> => {
  if (file === undefined) return { add: () => Promise.resolve(), close: () => Promise.resolve() };
  const fail = (cause: unknown): never => {
    throw new ReportFailed(`the report ${file} is not complete`, cause);
  };
  const handle = await open(file, 'w', 0o600).catch((cause: unknown) => {
    throw new ReportFailed(`the report ${file} cannot be written`, cause);
  });
  return {
    add: async (difference) => {
      await handle.writeFile(`${JSON.stringify(lineOf(difference))}\n`).catch(fail);
    },
    close: () => handle.close().catch(fail),
  };
};
