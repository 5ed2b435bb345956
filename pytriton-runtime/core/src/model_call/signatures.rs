use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;
use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::Model;

/// The signatures of the called types. They are built once and shared, because each call of a
/// function creates new handles.
static SIGNATURES: RwLock<BTreeMap<TypeId, Arc<ModelSignature>>> = RwLock::new(BTreeMap::new());

/// Returns the signature of a model type.
pub(super) fn signature<M: Model>() -> Arc<ModelSignature> {
    let id = TypeId::of::<M>();
    if let Some(signature) = SIGNATURES.read().get(&id) {
        return Arc::clone(signature);
    }
    let signature = Arc::new(M::signature());
    let mut signatures = SIGNATURES.write();
    Arc::clone(signatures.entry(id).or_insert(signature))
}
