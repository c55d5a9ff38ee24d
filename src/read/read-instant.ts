const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+ -])([01]\d|2[0-3]):([0-5]\d))$/;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const isCalendarDay = (date: string): boolean => {
  const midnight = new Date(`${date}T00:00:00Z`);
  // The round trip finds 30 February, which some engines read as a day of March.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
};

/** Milliseconds that a local time is ahead of UTC. A space is a raw `+` that a form decoder has read. */
const offsetOf = (sign = '+', hours = '0', minutes = '0'): number =>
  (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;

/** RFC 3339 §5.6, to the millisecond; a leap second is read as the instant it ends. */
export const readInstant = (value: string): Date | undefined => {
  const [, date = '', hour = '', minute = '', second = '', fraction = '', ...zone] = DATE_TIME.exec(value) ?? [];
  if (!isCalendarDay(date)) return undefined;
  const isLeap = second === '60';
  const milliseconds = isLeap ? '000' : fraction.padEnd(3, '0').slice(0, 3);
  const local = new Date(`${date}T${hour}:${minute}:${isLeap ? '59' : second}.${milliseconds}Z`).getTime();
  const instant = local + (isLeap ? 1000 : 0) - offsetOf(...zone);
  return isLeap && instant % DAY !== 0 ? undefined : new Date(instant);
};
