/** An element of a class, with elements in it. */
export const element = (name: string, ...children: ReadonlyArray<Element>): HTMLElement => {
  const made = document.createElement("div")
  made.className = name
  made.append(...children)
  return made
}
