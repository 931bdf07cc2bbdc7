/** The app's own files on a phone: the book is in the bundle, and Metro knows where the pictures are. */
import catalog from "../assets/catalog.json"
import launch from "../assets/launch.png"
import sail from "../assets/sail.png"
import trawler from "../assets/trawler.png"

const pictures = { launch, sail, trawler }

export const readCatalog = async () => catalog

export const pictureOf = (name) => pictures[name]
