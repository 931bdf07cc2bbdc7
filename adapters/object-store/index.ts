/** Makes the port `ObjectStore` of what an engine can do: the way to write an object store of one's own. */
export * from "./makeObjectStore.ts"
export * from "./ObjectDriver.ts"
