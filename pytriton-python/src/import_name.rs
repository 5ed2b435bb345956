use pyo3::prelude::*;

/// Returns the import name of the module. maturin places it in a package of the same name.
pub(crate) fn import_name(module: &Bound<'_, PyModule>) -> PyResult<String> {
    let name = module.name()?.to_string();
    Ok(match name.rsplit_once('.') {
        Some((package, name)) if package.rsplit('.').next() == Some(name) => package.to_owned(),
        _ => name,
    })
}
