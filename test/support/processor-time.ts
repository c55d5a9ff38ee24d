/** How long the processor is at work for this process meanwhile, ms: nothing of it while another one has the processor. */
export const processorTime = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
