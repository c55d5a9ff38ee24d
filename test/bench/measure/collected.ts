const SUM = /^nodejs_gc_duration_seconds_sum\b.* (\S+)$/gm;

/** Seconds in garbage collection, of all kinds together, in the text of a service's `/metrics`. */
export const collectedIn = (metrics: string): number =>
  [...metrics.matchAll(SUM)].reduce((sum, [, seconds]) => sum + Number(seconds), 0);

/** Seconds that the service at this address has spent in garbage collection so far, by its own `/metrics`. */
export const collectedBy = async (
  address: string,
  /** With the token of an auditor or an admin. */
  headers: Readonly<Record<string, string>>,
): Promise<number> => {
  const response = await fetch(`${address}/metrics`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${text}`);
  return collectedIn(text);
};
