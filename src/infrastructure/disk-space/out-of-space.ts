/** Of Node: no space left, or no more than a quota allows. Of Postgres: `disk_full`, Appendix A of its manual. */
const CODES = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100']);

/** Whether something failed, or one of the causes below it, because a disk took no more. */
export const isOutOfSpace = (failure: unknown): boolean => {
  for (let each = failure; typeof each === 'object' && each !== null; each = 'cause' in each ? each.cause : undefined)
    if ('code' in each && CODES.has(each.code)) return true;
  return false;
};
