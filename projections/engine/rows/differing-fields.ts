/** A row as text by column; `body` and `kept` (the hidden state) are JSON texts. */
export type TextRow = Readonly<Record<string, string | null>>;

/** The members of a JSON object; none of a text that is no JSON, which a row may hold when others wrote it. */
const membersOf = (text: string): ReadonlyMap<string, string> => {
  try {
    // reason: what is no object has no entries, whatever it is
    const object = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return new Map(Object.entries(object).map(([name, value]) => [name, JSON.stringify(value)]));
  } catch {
    return new Map();
  }
};

const bodyFields = (live: string, rebuilt: string): ReadonlyArray<string> => {
  const [one, other] = [membersOf(live), membersOf(rebuilt)];
  const names = new Set([...one.keys(), ...other.keys()]);
  const differing = [...names].filter((name) => one.get(name) !== other.get(name));
  return differing.length === 0 ? ['body'] : differing.map((name) => `body.${name}`);
};

/** Columns in which two rows of one table differ; of `body` the fields of the answer: `body.name`. */
export const differingFields = (live: TextRow, rebuilt: TextRow): ReadonlyArray<string> =>
  Object.keys(live)
    .filter((column) => live[column] !== rebuilt[column])
    .flatMap((column) => {
      const [before, after] = [live[column], rebuilt[column]];
      const areBodies = column === 'body' && typeof before === 'string' && typeof after === 'string';
      return areBodies ? bodyFields(before, after) : [column];
    });
