/** The app's own files on the web: they lie beside the script. */

export const readCatalog = async () => {
  const response = await fetch("./assets/catalog.json")
  if (!response.ok) {
    throw new Error(`The harbour book answered ${response.status}`)
  }
  return response.json()
}

export const pictureOf = (name) => ({ uri: `./assets/${name}.png` })
