/**
 * How many files and connections this process may have open at once; Infinity where the system sets or tells no limit.
 * Node raises the soft limit to the hard one as it starts.
 */
export const openFilesLimit = (): number => {
  // it would else look up the names of all addresses that the process is connected to; the types do not know it yet
  Object.assign(process.report, { excludeNetwork: true });
  // reason: Node documents this part of the report; on Windows it is left out
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Infinity;
};
