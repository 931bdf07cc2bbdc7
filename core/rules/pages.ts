/**
 * Cuts what was found to a page. Look for one more than a page holds: that one tells whether there is another page, which
 * goes on behind `last`. Without `last` this page was the last.
 */
export const pageOf = <A>(
  found: ReadonlyArray<A>,
  size: number
): { readonly page: ReadonlyArray<A>; readonly last: A | undefined } =>
  found.length > size ? { page: found.slice(0, size), last: found[size - 1] } : { page: found, last: undefined }
