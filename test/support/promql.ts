/** A metric that an expression reads, with the matchers in its braces. */
type Read = { readonly metric: string; readonly matchers: ReadonlyArray<Matcher> };

type Matcher = { readonly label: string; readonly operator: string; readonly value: string };

/** What an expression of PromQL names. */
type Named = {
  readonly reads: ReadonlyArray<Read>;
  /** The labels that it groups by. */
  readonly grouping: ReadonlyArray<string>;
};

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const MATCHERS = /([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"([^"]*)"/g;
/** A name, if no bracket follows as after a function, and what is in its braces. */
const SELECTOR = /([a-zA-Z_:][\w:]*)\b(?!\s*\()\s*(?:\{([^}]*)\})?/g;
const OPERATORS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);

/** Strings, which stay as they are, and ranges, durations and numbers, whose letters look like names. */
const LITERAL = /"[^"]*"|\[[^\]]*\]|\b\d[\w.]*/g;

/**
 * The metrics and labels in an expression, whose strings hold neither quotes nor braces: enough of the grammar for the
 * expressions in `deploy`, which a server of Prometheus parses in full.
 */
export const namesIn = (expression: string): Named => {
  const grouping = [...expression.matchAll(GROUPING)].flatMap(([, labels = '']) => labels.match(/\w+/g) ?? []);
  const rest = expression
    .replaceAll(GROUPING, ' ')
    .replaceAll(LITERAL, (literal) => (literal.startsWith('"') ? literal : ' '));
  const reads = [...rest.matchAll(SELECTOR)]
    .filter(([, name = '']) => !OPERATORS.has(name.toLowerCase()))
    .map(([, metric = '', inBraces = '']) => ({
      metric,
      matchers: [...inBraces.matchAll(MATCHERS)].map(([, label = '', operator = '', value = '']) => ({
        label,
        operator,
        value,
      })),
    }));
  return { reads, grouping };
};
