import { type Lease, LEASE_MS } from '../../../projections/engine/generation/lease.js';
import type { Tables } from './tables.js';

export const acquire = (
  { instances, leases, now }: Tables,
  name: string,
  holder: string,
  takeOver: boolean,
): Lease | undefined => {
  if (!instances.rows.has(name)) return undefined;
  const before = leases.rows.get(name);
  if (before !== undefined && before.holder !== holder && before.expiresAt >= now() && !takeOver) return undefined;
  const fencing = before === undefined ? 1n : before.fencing + (before.holder === holder ? 0n : 1n);
  leases.put(name, { holder, fencing, expiresAt: now() + LEASE_MS });
  return { name, holder, fencing: fencing.toString() };
};

export const release = ({ leases }: Tables, { name, holder }: Lease): void => {
  const row = leases.rows.get(name);
  // the row stays, because fencing numbers must never repeat
  if (row?.holder === holder) leases.put(name, { ...row, expiresAt: -Infinity });
};

/** Whether nobody has taken it since, whatever the time is. */
export const holds = ({ leases }: Tables, { name, holder, fencing }: Lease): boolean => {
  const row = leases.rows.get(name);
  return row?.holder === holder && row.fencing.toString() === fencing;
};

export const handOver = (tables: Tables, lease: Lease, to: string): void => {
  const { leases } = tables;
  const [own, other] = [leases.rows.get(lease.name), leases.rows.get(to)];
  if (own === undefined || other === undefined || !holds(tables, lease)) return;
  const { holder, expiresAt } = other;
  leases.put(lease.name, { holder, fencing: own.fencing + 1n, expiresAt });
};

/** Who may write a generation now, and for how many more ms. */
export const leaderOf = (
  { leases, now }: Tables,
  name: string,
): { readonly holder: string; readonly ms: number } | undefined => {
  const row = leases.rows.get(name);
  const ms = (row?.expiresAt ?? -Infinity) - now();
  return row !== undefined && ms > 0 ? { holder: row.holder, ms } : undefined;
};
