/**
 * Orders texts by UTF-16 code unit, as the ports promise. No collation of a database does: `"C"` orders by the bytes of
 * UTF-8, which places characters beyond U+FFFF after those from U+E000 on.
 */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
