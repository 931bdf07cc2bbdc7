const functions = new WeakSet<object>()

/** Marks the functions of a native module: on a phone, every runtime of an app can call them. */
export const markHostFunctions = (module: Readonly<Record<string, unknown>>): void => {
  for (const value of Object.values(module)) if (typeof value === "function") functions.add(value)
}

export const isHostFunction = (value: object): boolean => functions.has(value)
