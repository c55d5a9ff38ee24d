/** A relative `Link` to the page that follows (RFC 8288): the same query with some parameters replaced. */
export const nextLink = (
  path: string,
  query: URLSearchParams,
  replaced: Readonly<Record<string, string>>,
): ReadonlyArray<string> => {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(replaced)) next.set(name, value);
  return ['Link', `<${path}?${next.toString()}>; rel="next"`];
};
