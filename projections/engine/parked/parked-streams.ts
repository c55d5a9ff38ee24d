import type { RunStatement } from '../../../src/postgres/statement.js';
import type { Generation } from '../generation/generation.js';

/** The streams of which an event is parked in one generation, for its only writer. */
export type ParkedStreams = {
  /** False: none of its events is parked. */
  readonly mayHave: (stream: string) => boolean;
  readonly add: (stream: string) => void;
};

/** Streams remembered; while more are parked, every stream may be one of them. */
const REMEMBERED = 10_000;

/** Reads them. To be read again whenever another process may have written the generation. */
export const readParkedStreams = async (
  run: RunStatement,
  { name }: Pick<Generation, 'name'>,
): Promise<ParkedStreams> => {
  const rows = await run({
    name: 'parked streams',
    text: 'select stream from read_model.parked where table_name = $1 limit $2::integer',
    values: [name, String(REMEMBERED + 1)],
  });
  const streams = new Set(rows.map(([stream]) => stream));
  return {
    mayHave: (stream) => streams.size > REMEMBERED || streams.has(stream),
    add: (stream) => {
      if (streams.size <= REMEMBERED) streams.add(stream);
    },
  };
};
