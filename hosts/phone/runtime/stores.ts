/** What libraries store, by the name that people know it by. It lasts as long as the page. */
export const stores = new Map<string, () => Iterable<readonly [key: string, value: unknown]>>()
