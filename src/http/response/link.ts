/** A relative `Link` to the page that follows (RFC 8288): the same parameters with some of them replaced. */
export const nextLink = (
  path: string,
  searchParams: URLSearchParams,
  replaced: Readonly<Record<string, string>>,
): ReadonlyArray<string> => {
  const next = new URLSearchParams(searchParams);
  for (const [name, value] of Object.entries(replaced)) next.set(name, value);
  return ['Link', `<${path}?${next.toString()}>; rel="next"`];
};
