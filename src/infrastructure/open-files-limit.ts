/**
 * How many files and connections this process may have open at once; Infinity where the system has no limit or does not
 * report it. The soft limit is the one that counts; Node raises it to the hard limit as it starts.
 */
export const openFilesLimit = (): number => {
  // without it the report resolves the host names of all connections; the types do not know the option yet
  Object.assign(process.report, { excludeNetwork: true });
  // reason: Node documents this part of the report, and leaves it out on Windows
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const limit = userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Infinity;
};
