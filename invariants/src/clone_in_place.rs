//! Cloning into what is there already.

/// Gives a struct a `Clone` whose `clone_from` overwrites the struct field by field.
///
/// States are large and hold little: all room is inline. A derived `clone` builds one and moves it,
/// empty room and all, several times on the way; an engine that clones a million states a second
/// into the same place must not. `copied` fields are small vectors of values that can be copied, and
/// are copied as one block; all other fields are `cloned`. A field that is missing does not compile.
#[macro_export]
macro_rules! clone_in_place {
    ($type:ident $(<$parameter:ident: $bound:ident>)?:
        copied { $($copied:ident),* $(,)? } cloned { $($cloned:ident),* $(,)? }) => {
        impl $(<$parameter: $bound>)? Clone for $type $(<$parameter>)? {
            #[inline]
            fn clone(&self) -> Self {
                Self {
                    $($copied: ::smallvec::SmallVec::from_slice(&self.$copied),)*
                    $($cloned: self.$cloned.clone(),)*
                }
            }

            #[inline]
            fn clone_from(&mut self, other: &Self) {
                $(
                    self.$copied.clear();
                    self.$copied.extend_from_slice(&other.$copied);
                )*
                $(self.$cloned.clone_from(&other.$cloned);)*
            }
        }
    };
}
