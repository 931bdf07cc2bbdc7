/**
 * Orders texts by UTF-16 code unit, as the ports promise. No database collation does that: `"C"` orders by UTF-8 bytes,
 * which places characters beyond U+FFFF after those from U+E000 on.
 */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
