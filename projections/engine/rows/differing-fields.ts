/** A row as text by column; `body` and `kept` (the hidden state) are JSON texts. */
export type TextRow = Readonly<Record<string, string | null>>;

/** The members of a JSON object. None for other texts, which a row may hold when somebody has changed it by hand. */
const membersOf = (text: string): ReadonlyMap<string, string> => {
  try {
    // reason: `Object.entries` gives nothing for what is not an object
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

/** Columns in which two rows differ; of the column `body` the fields of its JSON object: `body.name`. */
export const differingFields = (live: TextRow, rebuilt: TextRow): ReadonlyArray<string> =>
  Object.keys(live)
    .filter((column) => live[column] !== rebuilt[column])
    .flatMap((column) => {
      const [before, after] = [live[column], rebuilt[column]];
      const areBodies = column === 'body' && typeof before === 'string' && typeof after === 'string';
      return areBodies ? bodyFields(before, after) : [column];
    });
