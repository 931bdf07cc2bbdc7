import { ScrollView, StyleSheet } from "react-native"

/** A scrolling page, no wider than is comfortable to read. */
export const Screen = ({ children }) => (
  <ScrollView showsVerticalScrollIndicator={false} contentContainerStyle={styles.content}>
    {children}
  </ScrollView>
)

const styles = StyleSheet.create({
  content: { width: "100%", maxWidth: 560, alignSelf: "center", paddingHorizontal: 20, paddingBottom: 28, gap: 16 }
})
