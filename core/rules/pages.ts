/**
 * Cuts a list of found items to one page. Search for one item more than the page holds: if there is one, another page
 * follows, and it starts after `last`. `last` is `undefined` on the last page.
 */
export const pageOf = <A>(
  found: ReadonlyArray<A>,
  size: number
): { readonly page: ReadonlyArray<A>; readonly last: A | undefined } =>
  found.length > size ? { page: found.slice(0, size), last: found[size - 1] } : { page: found, last: undefined }
